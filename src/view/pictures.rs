//! Pictures of materials: unpacked on a worker thread within a budget of bytes, then on the graphics card.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use image::{ImageReader, Limits, imageops};
use three_d::{Context, Interpolation, Mipmap, Texture2D, Wrapping};

use crate::model::{Image, Material, TextureUse, Wrap};

/// Bytes that the pictures of one character may take on the card, their smaller copies counted in.
const BUDGET_BYTES: u64 = 256 << 20;
/// Longest side of a picture, in texels: more is not to be seen in a viewport.
const LONGEST_SIDE: u32 = 2048;
/// Memory that unpacking one picture may take: a bomb stops here.
const UNPACKING_BYTES: u64 = 512 << 20;

/// A picture's texels, rows from the top, sRGB with straight alpha.
struct Unpacked {
    size: [u32; 2],
    texels: Vec<[u8; 4]>,
    has_alpha: bool,
}

/// What came of one picture.
type Arrived = (usize, Result<Unpacked, String>);

/// How a texture is sampled: uses that agree in this share one.
type Key = (usize, [Wrap; 2], bool);

fn key(texture: &TextureUse) -> Key {
    (texture.image, texture.wrap, texture.is_pixelated)
}

/// The longest side at which pictures of `sizes` together stay within [`BUDGET_BYTES`].
fn side_within_budget(sizes: &[(u32, u32)]) -> u32 {
    let mut side = LONGEST_SIDE;
    let total = |side: u32| -> u64 {
        let of = |&(w, h): &(u32, u32)| {
            let (w, h) = scaled((w, h), side);
            u64::from(w) * u64::from(h) * 4 * 4 / 3
        };
        sizes.iter().map(of).sum()
    };
    while side > 16 && total(side) > BUDGET_BYTES {
        side /= 2;
    }
    side
}

/// A picture's size, made smaller in proportion until no side is longer than `side`.
fn scaled((w, h): (u32, u32), side: u32) -> (u32, u32) {
    let longest = w.max(h);
    if longest <= side {
        return (w, h);
    }
    let of = |x: u32| (u64::from(x) * u64::from(side) / u64::from(longest)).max(1) as u32;
    (of(w), of(h))
}

fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, String> {
    if bytes.is_empty() {
        return Err("its data is missing".into());
    }
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| error.to_string())?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(UNPACKING_BYTES);
    reader.limits(limits);
    Ok(reader)
}

/// Unpacks a picture, made smaller until no side is longer than `side`.
fn unpack(image: &Image, side: u32) -> Result<Unpacked, String> {
    let picture = reader(&image.bytes)?.decode().map_err(|error| error.to_string())?;
    let mut picture = picture.into_rgba8();
    let (w, h) = scaled(picture.dimensions(), side);
    if (w, h) != picture.dimensions() {
        picture = imageops::resize(&picture, w, h, imageops::FilterType::Triangle);
    }
    let texels = bytemuck::allocation::pod_collect_to_vec::<u8, [u8; 4]>(picture.as_raw());
    let has_alpha = texels.iter().any(|t| t[3] < 250);
    Ok(Unpacked { size: [w, h], texels, has_alpha })
}

/// The pictures of a character's materials on the card. Characters that share materials share this.
pub(super) struct Pictures {
    materials: Arc<Vec<Material>>,
    images: Arc<Vec<Image>>,
    arriving: Option<Receiver<Arrived>>,
    textures: BTreeMap<Key, Texture2D>,
    has_alpha: BTreeMap<usize, bool>,
    faults: Vec<String>,
}

impl Pictures {
    /// Begins to unpack what `materials` show, on a thread of its own.
    pub(super) fn new(materials: Arc<Vec<Material>>, images: Arc<Vec<Image>>) -> Self {
        let mut used: Vec<usize> =
            materials.iter().flat_map(Material::pictures).map(|t| t.image).collect();
        used.sort_unstable();
        used.dedup();
        used.retain(|&i| i < images.len());
        let mut pictures = Self {
            arriving: None,
            textures: BTreeMap::new(),
            has_alpha: BTreeMap::new(),
            faults: Vec::new(),
            materials,
            images,
        };
        if used.is_empty() {
            return pictures;
        }
        let (sender, receiver) = channel();
        let images = pictures.images.clone();
        let unpacking = std::thread::Builder::new().name("pictures".into()).spawn(move || {
            let of = |i: &usize| images.get(*i);
            let size = |i: &Image| reader(&i.bytes).ok()?.into_dimensions().ok();
            let sizes: Vec<_> = used.iter().filter_map(|i| size(of(i)?)).collect();
            let side = side_within_budget(&sizes);
            for index in used {
                let Some(image) = images.get(index) else { continue };
                // Nobody listens any more once the character is gone.
                if sender.send((index, unpack(image, side))).is_err() {
                    return;
                }
            }
        });
        match unpacking {
            Ok(_) => pictures.arriving = Some(receiver),
            Err(error) => pictures.faults.push(format!("No thread for pictures: {error}")),
        }
        pictures
    }

    /// Whether these are the pictures of that character's materials.
    pub(super) fn is_of(&self, materials: &Arc<Vec<Material>>, images: &Arc<Vec<Image>>) -> bool {
        Arc::ptr_eq(&self.materials, materials) && Arc::ptr_eq(&self.images, images)
    }

    /// Whether more are to come.
    pub(super) fn is_arriving(&self) -> bool {
        self.arriving.is_some()
    }

    /// Sends what has been unpacked to the card: all of it where the caller can wait, else one picture a frame.
    pub(super) fn receive(&mut self, context: &Context, can_wait: bool) {
        while let Some(receiver) = &self.arriving {
            let arrived = if can_wait {
                receiver.recv().map_err(|_| TryRecvError::Disconnected)
            } else {
                receiver.try_recv()
            };
            match arrived {
                Ok((index, unpacked)) => self.take(context, index, unpacked),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.arriving = None,
            }
            if !can_wait {
                return;
            }
        }
    }

    /// What went wrong since the last call, a sentence for each picture.
    pub(super) fn take_faults(&mut self) -> Vec<String> {
        std::mem::take(&mut self.faults)
    }

    /// The texture of a use; `None` while it has not arrived, or cannot be had.
    pub(super) fn texture(&self, of: &TextureUse) -> Option<&Texture2D> {
        self.textures.get(&key(of))
    }

    /// Whether a picture has texels that are not solid. One that has not arrived is taken for solid.
    pub(super) fn has_alpha(&self, of: &TextureUse) -> bool {
        self.has_alpha.get(&of.image).copied().unwrap_or(false)
    }

    fn take(&mut self, context: &Context, index: usize, unpacked: Result<Unpacked, String>) {
        let unpacked = match unpacked {
            Ok(unpacked) => unpacked,
            Err(why) => {
                let name = self.images.get(index).map_or("", |i| i.name.as_str());
                self.faults.push(format!("Picture {index} {name:?} cannot be shown: {why}"));
                return;
            }
        };
        self.has_alpha.insert(index, unpacked.has_alpha);
        let uses = self.materials.iter().flat_map(Material::pictures);
        let uses = uses.filter(|t| t.image == index);
        for texture in uses {
            self.textures
                .entry(key(&texture))
                .or_insert_with(|| send(context, &texture, &unpacked));
        }
    }
}

/// A picture as a texture. Its rows are turned: texture coordinate 1 - v is glTF's v.
fn send(context: &Context, texture: &TextureUse, unpacked: &Unpacked) -> Texture2D {
    let [w, h] = unpacked.size;
    let wrap = |w: Wrap| match w {
        Wrap::Repeat => Wrapping::Repeat,
        Wrap::Mirror => Wrapping::MirroredRepeat,
        Wrap::Clamp => Wrapping::ClampToEdge,
    };
    let [s, t] = texture.wrap.map(wrap);
    let linear = Interpolation::Linear;
    let near = if texture.is_pixelated { Interpolation::Nearest } else { linear };
    let smaller = Some(Mipmap::default());
    let gpu = Texture2D::new_empty::<[u8; 4]>(context, w, h, linear, near, smaller, s, t);
    gpu.fill(&unpacked.texels);
    gpu
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(w: u32, h: u32, alpha: u8) -> Image {
        let mut bytes = Cursor::new(Vec::new());
        let picture = image::RgbaImage::from_pixel(w, h, image::Rgba([200, 100, 50, alpha]));
        picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        Image { name: "test".into(), bytes: bytes.into_inner().into() }
    }

    #[test]
    fn a_picture_is_made_smaller_in_proportion() {
        let unpacked = unpack(&png(64, 16, 255), 32).unwrap();
        assert_eq!(unpacked.size, [32, 8]);
        assert_eq!(unpacked.texels.len(), 256);
        assert!(!unpacked.has_alpha);
        assert!(unpacked.texels.iter().all(|t| *t == [200, 100, 50, 255]));
        assert!(unpack(&png(4, 4, 128), 32).unwrap().has_alpha);
    }

    #[test]
    fn many_large_pictures_share_the_budget() {
        assert_eq!(side_within_budget(&[(4096, 4096)]), 2048);
        // Forty of 2048² would take 0.9 GB; at 1024² they take 224 MB.
        assert_eq!(side_within_budget(&[(4096, 4096); 40]), 1024);
        assert_eq!(side_within_budget(&[]), 2048);
    }

    #[test]
    fn what_is_no_picture_says_why() {
        let broken = Image { name: "x".into(), bytes: b"\x89PNG nothing more"[..].into() };
        assert!(unpack(&broken, 64).is_err());
        assert!(unpack(&Image::default(), 64).is_err());
    }
}
