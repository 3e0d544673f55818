//! `render`: a picture without a window.

use anyhow::Context;
use serde::Serialize;

use super::args::{RenderArgs, ShowArg, ViewArg};
use super::open;
use super::output::Voice;
use super::play;
use crate::io;
use crate::studio::{Shade, Shown, snapshot};
use crate::view::{Look, Picture, ViewDirection, render_png};

#[derive(Serialize)]
struct Rendered {
    path: String,
    width: u32,
    height: u32,
}

/// Runs the verb.
///
/// # Errors
/// Where the file cannot be read, the clip is not there, or this machine cannot draw.
pub fn run(args: &RenderArgs, voice: &Voice) -> anyhow::Result<()> {
    let opened = open::opened(&args.input, &args.decisions, voice)?;
    io::may_save(&args.output, opened.overwrite, opened.input())?;
    let clip = match &args.clip {
        Some(wanted) => {
            let library = play::library(Some(&opened), &args.library, voice)?;
            Some((play::clip(&opened, &library, wanted, voice)?.1, args.time))
        }
        None => None,
    };
    let shows = |wanted| args.show.contains(&wanted);
    let shades = [
        (ShowArg::Stretch, Shade::Stretch),
        (ShowArg::DrivenFrom, Shade::DrivenFrom),
        (ShowArg::Distance, Shade::SkeletonDistance),
        (ShowArg::XRay, Shade::XRay),
        (ShowArg::Wireframe, Shade::Wireframe),
    ];
    let shade = shades.into_iter().find(|(arg, _)| shows(*arg)).map(|(_, shade)| shade);
    let shown = Shown {
        joints: shows(ShowArg::Joints),
        regions: shows(ShowArg::Regions),
        axes: shows(ShowArg::Axes),
        colliders: shows(ShowArg::Colliders),
        no_outlines: args.no_outlines,
        shade: shade.unwrap_or_default(),
    };
    let evaluated = &opened.evaluated;
    let scene = snapshot(&evaluated.rigged, &evaluated.detection, clip, shown);
    let theme = if args.light {
        include_str!("../../assets/theme/light.ron")
    } else {
        include_str!("../../assets/theme/dark.ron")
    };
    let direction = match args.view {
        ViewArg::Front => ViewDirection::Front,
        ViewArg::Side => ViewDirection::Side,
        ViewArg::Back => ViewDirection::Back,
        ViewArg::ThreeQuarter => ViewDirection::ThreeQuarter,
    };
    let look = Look::parse(theme).context("the theme that was built in is none")?;
    let picture = Picture { size: args.size, direction, look };
    let png = render_png(&scene, &picture)?;
    io::save(&args.output, &png, opened.overwrite)?;
    let [width, height] = picture.size;
    let rendered = Rendered { path: args.output.display().to_string(), width, height };
    voice.result(&rendered, |out| writeln!(out, "{}", rendered.path))
}
