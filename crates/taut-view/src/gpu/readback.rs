//! Pictures on their way from the graphics card.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use taut_render::{Picture, palette};

/// A picture on its way.
pub struct Readback {
    buffer: wgpu::Buffer,
    size: [u32; 2],
    row: u32,
    /// 0 while it is on its way, 1 when it is there, 2 if it never will be.
    state: Arc<AtomicU8>,
}

impl Readback {
    pub(super) fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        picture: &wgpu::Texture,
        [width, height]: [u32; 2],
    ) -> Self {
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        encoder.copy_texture_to_buffer(
            picture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        queue.submit([encoder.finish()]);
        let state = Arc::new(AtomicU8::new(0));
        let done = state.clone();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            done.store(if result.is_ok() { 1 } else { 2 }, Ordering::Release);
        });
        Readback { buffer, size: [width, height], row, state }
    }

    /// The picture if it has arrived, an error if it never will; otherwise ask again later.
    pub fn poll(&self, device: &wgpu::Device) -> Option<Result<Picture, String>> {
        let _ = device.poll(wgpu::PollType::Poll);
        match self.state.load(Ordering::Acquire) {
            0 => None,
            1 => Some(self.picture()),
            _ => Some(Err("the picture could not be fetched from the graphics card".into())),
        }
    }

    fn picture(&self) -> Result<Picture, String> {
        let bytes = self.buffer.get_mapped_range(..).map_err(|error| error.to_string())?;
        let [width, height] = self.size.map(|length| length as usize);
        let row = |at: usize| &bytes[at * self.row as usize..][..4 * width];
        let pixels = (0..height).flat_map(|at| row(at).chunks_exact(4).map(|p| [p[0], p[1], p[2], 255])).collect();
        Picture::from_pixels(width, height, pixels).ok_or_else(|| "the picture is incomplete".into())
    }
}

/// Pictures on their way that become one, side by side.
pub struct Shot(pub Vec<Readback>);

impl Shot {
    /// As [`Readback::poll`].
    pub fn poll(&self, device: &wgpu::Device) -> Option<Result<Picture, String>> {
        let parts: Option<Vec<_>> = self.0.iter().map(|part| part.poll(device)).collect();
        let parts: Result<Vec<Picture>, String> = parts?.into_iter().collect();
        Some(parts.map(|parts| {
            let height = parts.iter().map(Picture::height).max().unwrap_or(1);
            let mut whole = Picture::filled(parts.iter().map(Picture::width).sum(), height, palette::ink());
            parts.iter().fold(0, |left, part| {
                whole.paste(part, left, 0);
                left + part.width()
            });
            whole
        }))
    }
}
