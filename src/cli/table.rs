//! The stretch table of spec 5.1 for people.

use std::io::{self, Write};

use super::output::{count, word};
use crate::measure::{Measurement, Stretch};
use crate::model::Verdict;
use crate::rig::Appendage;

/// Prints the rows of a measurement: raw, rigid and chain of each region that is treated, its border, the body, and
/// how far the tip travels. Regions that are left as they are have one row only where nothing is treated.
///
/// # Errors
/// Where `out` cannot be written.
pub fn print(
    title: &str,
    found: &Measurement,
    report: &[Appendage],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{title}, {}", count(found.samples, "sample"))?;
    writeln!(
        out,
        "  {:<22} {:>6} {:>6} {:>6} {:>8} {:>12}",
        "", "p95", "p99", "max", "torn", "edge samples"
    )?;
    let is_treated = |id: u32| report.iter().any(|a| a.id == id && a.verdict != Verdict::Leave);
    let any_treated = found.regions.iter().any(|r| is_treated(r.id.0));
    for region in &found.regions {
        let name = format!("{} {}", word(&region.kind), region.id.0);
        if is_treated(region.id.0) {
            row(out, &format!("{name}, raw"), &region.raw)?;
            row(out, "  rigid", &region.rigid)?;
            row(out, "  chain", &region.chain)?;
            match &region.border {
                Some(border) => row(out, "  border", border)?,
                None => writeln!(out, "  {:<22} no border edges", "  border")?,
            }
        } else if !any_treated {
            row(out, &name, &region.raw)?;
        }
    }
    row(out, "body", &found.body)?;
    if let Some(travel) = found.tip_travel_m {
        writeln!(out, "  tip travel {:.1} cm", travel * 100.0)?;
    }
    let lifts = found.pelvis_lift.iter().flatten();
    let most = lifts.max_by(|a, b| a.extra_m.abs().total_cmp(&b.extra_m.abs()));
    if let Some(most) = most.filter(|m| m.extra_m.abs() > 5e-4) {
        writeln!(
            out,
            "  counted as body, it would lift the pelvis by {:.1} cm at {:.2} s ({:.1} instead of {:.1} cm)",
            100.0 * most.extra_m,
            most.time_s,
            100.0 * most.tail_counted_m,
            100.0 * most.tail_excluded_m
        )?;
    }
    let seam = &found.seam;
    let closed = if seam.closed { "closed" } else { "NOT closed" };
    writeln!(
        out,
        "  {closed} after {}: seam {:.4}°, {:.4} mm",
        count(seam.warmup_passes as usize, "pass"),
        seam.seam_deg,
        seam.seam_m * 1000.0
    )?;
    if seam.blended_m > 0.0 {
        let gap = seam.blended_m * 1000.0;
        writeln!(out, "  no pass closed by itself: the end is blended over {gap:.1} mm")?;
    }
    Ok(())
}

fn row(out: &mut dyn Write, name: &str, s: &Stretch) -> io::Result<()> {
    writeln!(
        out,
        "  {name:<22} {:>6.2} {:>6.2} {:>6.2} {:>6.1} % {:>12}",
        s.p95, s.p99, s.max, s.torn_percent, s.edge_samples
    )
}
