//! The renderer: a mesh in, a picture on the graphics card out. It knows nothing of windows.

mod pipelines;
mod readback;
mod target;

pub use readback::Readback;

use crate::camera::{Orbit, V3, light_matrix, unit};
use crate::geometry::{Geometry, Vertex};
use pipelines::Pipelines;
use target::{DEPTH, Target};

/// What shaders need to know of a picture.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Globals {
    view: [[f32; 4]; 4],
    light: [[f32; 4]; 4],
    eye: [f32; 4],
    sun: [f32; 4],
    centre: [f32; 4],
}

/// Width and height of the shadow picture.
const SHADOW: u32 = 2048;
/// Towards the light.
const SUN: V3 = [0.42, 1.0, 0.55];

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
    shadow: wgpu::TextureView,
    globals: wgpu::Buffer,
    globals_group: wgpu::BindGroup,
    shadow_group: wgpu::BindGroup,
    vertices: Growing,
    indices: Growing,
    lines: Growing,
}

impl Renderer {
    /// Prepares to draw.
    pub fn new(device: &wgpu::Device) -> Self {
        let pipelines = Pipelines::new(device);
        let shadow = target::texture(device, [SHADOW; 2], DEPTH, 1, wgpu::TextureUsages::TEXTURE_BINDING);
        let shadow = shadow.create_view(&wgpu::TextureViewDescriptor::default());
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
        let shadow_group = group(
            &pipelines.shadow_layout,
            &[
                entry(0, wgpu::BindingResource::TextureView(&shadow)),
                entry(1, wgpu::BindingResource::Sampler(&sampler)),
            ],
        );
        Renderer {
            target: Target::new(device, [1, 1]),
            vertices: Growing::new(device, wgpu::BufferUsages::VERTEX, 1 << 16),
            indices: Growing::new(device, wgpu::BufferUsages::INDEX, 1 << 16),
            lines: Growing::new(device, wgpu::BufferUsages::INDEX, 1 << 12),
            pipelines,
            shadow,
            globals,
            globals_group,
            shadow_group,
        }
    }

    /// Draws a mesh as a camera sees it, into a picture of this size in pixels. True if the picture is a new one.
    pub fn draw(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        geometry: &Geometry,
        camera: &Orbit,
        size: [u32; 2],
    ) -> bool {
        let most = device.limits().max_texture_dimension_2d;
        let size = size.map(|length| length.clamp(1, most));
        let anew = self.target.size != size;
        if anew {
            self.target = Target::new(device, size);
        }
        self.upload(device, queue, geometry, camera);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.draw_shadow(&mut encoder, geometry);
        self.draw_picture(&mut encoder, geometry);
        queue.submit([encoder.finish()]);
        anew
    }

    fn upload(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, geometry: &Geometry, camera: &Orbit) {
        let (centre, radius) = geometry.ball;
        let sun = unit(SUN);
        let [x, y, z] = camera.eye().map(|v| v as f32);
        let [sx, sy, sz] = sun.map(|v| v as f32);
        let [cx, cy, cz] = centre.map(|v| v as f32);
        let _ = cy;
        let aspect = f64::from(self.target.size[0]) / f64::from(self.target.size[1]);
        let globals = Globals {
            view: camera.matrix(aspect),
            light: light_matrix(sun, centre, 1.08 * radius),
            eye: [x, y, z, radius as f32],
            sun: [sx, sy, sz, 1.0 / SHADOW as f32],
            centre: [cx, geometry.floor as f32, cz, geometry.floor as f32],
        };
        queue.write_buffer(&self.globals, 0, bytemuck::bytes_of(&globals));
        self.vertices.write(device, queue, bytemuck::cast_slice::<Vertex, u8>(&geometry.vertices));
        self.indices.write(device, queue, bytemuck::cast_slice::<u32, u8>(&geometry.indices));
        self.lines.write(device, queue, bytemuck::cast_slice::<u32, u8>(&geometry.lines));
    }

    fn draw_shadow(&self, encoder: &mut wgpu::CommandEncoder, geometry: &Geometry) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(target::depth_attachment(&self.shadow)),
            ..Default::default()
        });
        pass.set_pipeline(&self.pipelines.shadow);
        pass.set_bind_group(0, &self.globals_group, &[]);
        pass.set_vertex_buffer(0, self.vertices.buffer.slice(..));
        pass.set_index_buffer(self.indices.buffer.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..geometry.indices.len() as u32, 0, 0..1);
    }

    fn draw_picture(&self, encoder: &mut wgpu::CommandEncoder, geometry: &Geometry) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(self.target.colour_attachment())],
            depth_stencil_attachment: Some(target::depth_attachment(&self.target.depth)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.globals_group, &[]);
        pass.set_bind_group(1, &self.shadow_group, &[]);
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
