//! The renderer: a mesh in, a picture on the graphics card out. It knows nothing of windows.

mod lights;
mod pipelines;
mod readback;
mod target;

pub use readback::{Readback, Shot};

use crate::camera::{Matrix, Orbit};
use crate::geometry::{Geometry, Vertex};
use lights::{LIGHTS, Lights, TILES};
use pipelines::Pipelines;
use target::{DEPTH, Target};

/// What shaders need to know of a picture: see there.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Globals {
    view: Matrix,
    lights: [Matrix; LIGHTS],
    towards: [[f32; 4]; LIGHTS],
    eye: [f32; 4],
    centre: [f32; 4],
    counts: [f32; 4],
}

/// Width and height of a light's depth picture.
fn tile(slow: bool) -> u32 {
    if slow { 256 } else { 512 }
}

/// A buffer that grows.
struct Growing {
    buffer: wgpu::Buffer,
    usage: wgpu::BufferUsages,
}

impl Growing {
    fn new(device: &wgpu::Device, usage: wgpu::BufferUsages, size: u64) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let buffer =
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        Growing { buffer, usage }
    }

    fn write(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, bytes: &[u8]) {
        if (bytes.len() as u64) > self.buffer.size() {
            *self = Growing::new(device, self.usage, (bytes.len() as u64).next_power_of_two());
        }
        queue.write_buffer(&self.buffer, 0, bytes);
    }
}

/// Draws one side of a scene into a picture of its own.
pub struct Renderer {
    pipelines: Pipelines,
    target: Target,
    depths: wgpu::TextureView,
    globals: wgpu::Buffer,
    globals_group: wgpu::BindGroup,
    depths_group: wgpu::BindGroup,
    /// Drawn by software.
    slow: bool,
    vertices: Growing,
    indices: Growing,
    lines: Growing,
}

impl Renderer {
    /// Prepares to draw; with fewer lights where the graphics card is made of software and therefore slow.
    pub fn new(device: &wgpu::Device, slow: bool) -> Self {
        let pipelines = Pipelines::new(device);
        let size = TILES.map(|count| count * tile(slow));
        let depths = target::texture(device, size, DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
        let depths = depths.create_view(&wgpu::TextureViewDescriptor::default());
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let size = std::mem::size_of::<Globals>() as u64;
        let globals = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("globals"),
            size,
            usage: uniform,
            mapped_at_creation: false,
        });
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let group = |layout: &wgpu::BindGroupLayout, entries: &[wgpu::BindGroupEntry]| {
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
        };
        let globals_group = group(&pipelines.globals_layout, &[entry(0, globals.as_entire_binding())]);
        let depths_group = group(
            &pipelines.depths_layout,
            &[
                entry(0, wgpu::BindingResource::TextureView(&depths)),
                entry(1, wgpu::BindingResource::Sampler(&sampler)),
            ],
        );
        Renderer {
            target: Target::new(device, [1, 1]),
            vertices: Growing::new(device, wgpu::BufferUsages::VERTEX, 1 << 16),
            indices: Growing::new(device, wgpu::BufferUsages::INDEX, 1 << 16),
            lines: Growing::new(device, wgpu::BufferUsages::INDEX, 1 << 12),
            pipelines,
            slow,
            depths,
            globals,
            globals_group,
            depths_group,
        }
    }

    /// Draws a mesh as a camera sees it under a light from a direction, into a picture of this size in pixels. True if
    /// the picture is a new one.
    pub fn draw(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        geometry: &Geometry,
        camera: &Orbit,
        towards_light: glam::DVec3,
        size: [u32; 2],
    ) -> bool {
        let most = device.limits().max_texture_dimension_2d;
        let size = size.map(|length| length.clamp(1, most));
        let anew = self.target.size != size;
        if anew {
            self.target = Target::new(device, size);
        }
        // Every light draws the whole mesh.
        let lights = Lights::new(towards_light, self.slow || geometry.casters > 900_000);
        self.upload((device, queue), geometry, camera, &lights);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.draw_depths(&mut encoder, geometry, lights.count());
        self.draw_picture(&mut encoder, geometry);
        queue.submit([encoder.finish()]);
        anew
    }

    fn upload(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        geometry: &Geometry,
        camera: &Orbit,
        lights: &Lights,
    ) {
        let (centre, radius) = geometry.ball;
        let [ex, ey, ez] = camera.eye().as_vec3().to_array();
        let aspect = f64::from(self.target.size[0]) / f64::from(self.target.size[1]);
        let globals = Globals {
            view: camera.matrix(aspect),
            lights: lights.matrices(centre, 1.08 * radius),
            towards: lights.directions(),
            eye: [ex, ey, ez, radius as f32],
            centre: [centre[0] as f32, centre[1] as f32, centre[2] as f32, geometry.floor as f32],
            counts: [lights.suns as f32, lights.count() as f32, 1.0 / tile(self.slow) as f32, 0.0],
        };
        queue.write_buffer(&self.globals, 0, bytemuck::bytes_of(&globals));
        self.vertices.write(device, queue, bytemuck::cast_slice::<Vertex, u8>(&geometry.vertices));
        self.indices.write(device, queue, bytemuck::cast_slice::<u32, u8>(&geometry.indices));
        self.lines.write(device, queue, bytemuck::cast_slice::<u32, u8>(&geometry.lines));
    }

    fn draw_depths(&self, encoder: &mut wgpu::CommandEncoder, geometry: &Geometry, lights: usize) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("depths"),
            depth_stencil_attachment: Some(target::depth_attachment(&self.depths)),
            ..Default::default()
        });
        pass.set_pipeline(&self.pipelines.depths);
        pass.set_bind_group(0, &self.globals_group, &[]);
        pass.set_vertex_buffer(0, self.vertices.buffer.slice(..));
        pass.set_index_buffer(self.indices.buffer.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..geometry.casters as u32, 0, 0..lights as u32);
    }

    fn draw_picture(&self, encoder: &mut wgpu::CommandEncoder, geometry: &Geometry) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(self.target.colour_attachment())],
            depth_stencil_attachment: Some(target::depth_attachment(&self.target.depth)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.globals_group, &[]);
        pass.set_bind_group(1, &self.depths_group, &[]);
        pass.set_pipeline(&self.pipelines.backdrop);
        pass.draw(0..3, 0..1);
        pass.set_vertex_buffer(0, self.vertices.buffer.slice(..));
        pass.set_index_buffer(self.indices.buffer.slice(..), wgpu::IndexFormat::Uint32);
        pass.set_pipeline(&self.pipelines.surface);
        pass.draw_indexed(0..geometry.indices.len() as u32, 0, 0..1);
        if !geometry.lines.is_empty() {
            pass.set_index_buffer(self.lines.buffer.slice(..), wgpu::IndexFormat::Uint32);
            pass.set_pipeline(&self.pipelines.lines);
            pass.draw_indexed(0..geometry.lines.len() as u32, 0, 0..1);
        }
        // Last: where it fades, it lets through what is behind it.
        pass.set_pipeline(&self.pipelines.floor);
        pass.draw(0..4, 0..1);
    }

    /// The picture.
    pub fn view(&self) -> &wgpu::TextureView {
        &self.target.view
    }

    /// Begins to fetch the picture from the graphics card.
    pub fn read(&self, device: &wgpu::Device, queue: &wgpu::Queue) -> Readback {
        Readback::new(device, queue, &self.target.picture, self.target.size)
    }
}
