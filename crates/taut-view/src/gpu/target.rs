//! What is drawn into.

/// Depth of everything.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// The picture. Shaders write sRGB themselves, as the window's own do.
pub(super) const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Samples in a pixel.
pub(super) const SAMPLES: u32 = 4;

/// A picture and what it takes to draw it.
pub(super) struct Target {
    pub size: [u32; 2],
    pub picture: wgpu::Texture,
    pub view: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    samples: wgpu::TextureView,
}

/// A texture that is drawn into.
pub(super) fn texture(
    device: &wgpu::Device,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    samples: u32,
    also: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | also,
        view_formats: &[],
    })
}

impl Target {
    pub fn new(device: &wgpu::Device, size: [u32; 2]) -> Self {
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let none = wgpu::TextureUsages::empty();
        let shown = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let picture = texture(device, size, COLOUR, 1, shown);
        Target {
            size,
            view: view(&picture),
            picture,
            depth: view(&texture(device, size, DEPTH, SAMPLES, none)),
            samples: view(&texture(device, size, COLOUR, SAMPLES, none)),
        }
    }

    pub fn colour_attachment(&self) -> wgpu::RenderPassColorAttachment<'_> {
        wgpu::RenderPassColorAttachment {
            view: &self.samples,
            depth_slice: None,
            resolve_target: Some(&self.view),
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), store: wgpu::StoreOp::Discard },
        }
    }
}

pub(super) fn depth_attachment(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store };
    wgpu::RenderPassDepthStencilAttachment { view, depth_ops: Some(ops), stencil_ops: None }
}
