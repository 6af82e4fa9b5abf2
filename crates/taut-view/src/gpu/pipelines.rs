//! The ways in which things are drawn.

use super::target::{COLOUR, DEPTH, SAMPLES};
use crate::geometry::Vertex;

/// One for each kind of thing.
pub(super) struct Pipelines {
    pub depths: wgpu::RenderPipeline,
    pub backdrop: wgpu::RenderPipeline,
    pub surface: wgpu::RenderPipeline,
    pub lines: wgpu::RenderPipeline,
    pub floor: wgpu::RenderPipeline,
    pub globals_layout: wgpu::BindGroupLayout,
    pub depths_layout: wgpu::BindGroupLayout,
}

/// What differs between them.
struct Way<'a> {
    vertex: &'a str,
    fragment: Option<&'a str>,
    mesh: bool,
    topology: wgpu::PrimitiveTopology,
    /// Whether it hides what is behind it.
    hides: bool,
    compare: wgpu::CompareFunction,
    /// How much further away than it is it counts as, in the smallest steps of depth and in slopes.
    bias: (i32, f32),
}

const ATTRIBUTES: [wgpu::VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4];

impl Pipelines {
    pub fn new(device: &wgpu::Device) -> Self {
        let shader = device.create_shader_module(wgpu::include_wgsl!("shader.wgsl"));
        let globals_layout = layout(device, &[uniform()]);
        let depths_layout = layout(device, &depths_entries());
        let make = |way: &Way| pipeline(device, &shader, [&globals_layout, &depths_layout], way);
        let surface = Way {
            vertex: "surface_vertex",
            fragment: Some("surface_fragment"),
            mesh: true,
            topology: wgpu::PrimitiveTopology::TriangleList,
            hides: true,
            compare: wgpu::CompareFunction::Less,
            bias: (0, 0.0),
        };
        let backdrop = Way {
            vertex: "backdrop_vertex",
            fragment: Some("backdrop_fragment"),
            mesh: false,
            hides: false,
            compare: wgpu::CompareFunction::Always,
            ..surface
        };
        let lines = Way {
            vertex: "line_vertex",
            fragment: Some("line_fragment"),
            topology: wgpu::PrimitiveTopology::LineList,
            hides: false,
            ..surface
        };
        let floor = Way {
            vertex: "floor_vertex",
            fragment: Some("floor_fragment"),
            mesh: false,
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            hides: false,
            ..surface
        };
        let depths = Way { vertex: "depth_vertex", fragment: None, bias: (2, 2.0), ..surface };
        Pipelines {
            depths: make(&depths),
            backdrop: make(&backdrop),
            lines: make(&lines),
            floor: make(&floor),
            surface: make(&surface),
            globals_layout,
            depths_layout,
        }
    }
}

fn layout(device: &wgpu::Device, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
}

fn uniform() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

fn depths_entries() -> [wgpu::BindGroupLayoutEntry; 2] {
    let entry =
        |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::FRAGMENT, ty, count: None };
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Depth,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    [entry(0, texture), entry(1, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison))]
}

fn pipeline(
    device: &wgpu::Device,
    shader: &wgpu::ShaderModule,
    [globals, depths]: [&wgpu::BindGroupLayout; 2],
    way: &Way,
) -> wgpu::RenderPipeline {
    let groups = [Some(globals), Some(depths)];
    // What makes the depth pictures cannot look at it.
    let used = if way.fragment.is_some() { &groups[..] } else { &groups[..1] };
    let layout = device
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor { bind_group_layouts: used, ..Default::default() });
    let stride = std::mem::size_of::<Vertex>() as u64;
    let attributes = if way.fragment.is_some() { &ATTRIBUTES[..] } else { &ATTRIBUTES[..1] };
    let mesh = wgpu::VertexBufferLayout { array_stride: stride, step_mode: wgpu::VertexStepMode::Vertex, attributes };
    let mesh = [Some(mesh)];
    let target = wgpu::ColorTargetState {
        format: COLOUR,
        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::COLOR,
    };
    let targets = [Some(target)];
    let (constant, slope_scale) = way.bias;
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(way.vertex),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some(way.vertex),
            compilation_options: Default::default(),
            buffers: if way.mesh { &mesh } else { &[] },
        },
        primitive: wgpu::PrimitiveState { topology: way.topology, ..Default::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(way.hides),
            depth_compare: Some(way.compare),
            stencil: Default::default(),
            bias: wgpu::DepthBiasState { constant, slope_scale, clamp: 0.0 },
        }),
        multisample: wgpu::MultisampleState {
            count: if way.fragment.is_some() { SAMPLES } else { 1 },
            ..Default::default()
        },
        fragment: way.fragment.map(|name| wgpu::FragmentState {
            module: shader,
            entry_point: Some(name),
            compilation_options: Default::default(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}
