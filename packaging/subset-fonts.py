#!/usr/bin/env python3
"""Makes assets/fonts from Debian's fonts-inter: Latin, Greek, Cyrillic and the signs the studio uses.

egui knows no OpenType features, so the tabular figures take the place of the proportional ones.
Needs: apt install fonts-inter; pip install fonttools. Usage: packaging/subset-fonts.py
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

SOURCE = Path("/usr/share/fonts/opentype/inter")
TARGET = Path(__file__).resolve().parent.parent / "assets/fonts"
RANGES = [(0x20, 0x7F), (0xA0, 0x250), (0x370, 0x460), (0x2009, 0x2027), (0x2190, 0x2195)]
SIGNS = "′″€™⇧⌘⌥∞−≈≠≤≥●○✓✗"


def tabular(font):
    """Figure glyph -> its tabular form."""
    gsub = font["GSUB"].table
    forms = {}
    for record in gsub.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for table in gsub.LookupList.Lookup[index].SubTable:
                    forms.update(getattr(getattr(table, "ExtSubTable", table), "mapping", {}))
    return forms


def make(name):
    font = TTFont(SOURCE / name)
    forms = tabular(font)
    for table in font["cmap"].tables:
        if table.isUnicode():
            for figure in map(ord, "0123456789"):
                glyph = table.cmap.get(figure)
                table.cmap[figure] = forms.get(glyph, glyph)
    options = subset.Options(layout_features=["kern", "mark", "ccmp"], hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[c for low, high in RANGES for c in range(low, high)] + [ord(c) for c in SIGNS])
    subsetter.subset(font)
    font.save(TARGET / name)


for name in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
    make(name)
