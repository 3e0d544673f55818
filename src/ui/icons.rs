//! One set of icons (Lucide, ISC), as letters of a font.

use lucide_icons::Icon;

/// The font.
pub const FONT: &[u8] = lucide_icons::LUCIDE_FONT_BYTES;

macro_rules! icons {
    ($($(#[$doc:meta])* $name:ident = $icon:ident;)+) => {
        $($(#[$doc])* pub fn $name() -> char { char::from(Icon::$icon) })+
    };
}

icons! {
    /// Opens a file.
    folder = FolderOpen;
    /// Adds a file.
    add = Plus;
    /// Takes a step back.
    undo = Undo2;
    /// Does it again.
    redo = Redo2;
    /// Plays.
    play = Play;
    /// Pauses.
    pause = Pause;
    /// To the start.
    rewind = SkipBack;
    /// A frame back.
    step_back = StepBack;
    /// A frame forward.
    step_forward = StepForward;
    /// Springs at rest.
    reset = RotateCcw;
    /// Springs on or off.
    springs = Activity;
    /// Bones.
    bone = Bone;
    /// Regions.
    regions = Shapes;
    /// Chains.
    chain = Spline;
    /// Skin half transparent.
    x_ray = ScanEye;
    /// Skin by its materials.
    lit = Sun;
    /// Overlays.
    overlays = Layers;
    /// The camera goes round.
    turntable = RefreshCw;
    /// Opens a menu.
    down = ChevronDown;
    /// Shown.
    eye = Eye;
    /// Hidden.
    eye_off = EyeOff;
    /// Meshes.
    mesh = Box;
    /// Searches.
    search = Search;
    /// Puts away.
    close = X;
    /// Sweeps to and fro.
    sweep = MoveHorizontal;
    /// Turns round.
    turn = RotateCw;
    /// Hops.
    hop = ArrowUpFromLine;
    /// Falls.
    fall = ArrowDownToLine;
    /// Is elsewhere at once.
    teleport = Zap;
    /// Walks.
    walk = Footprints;
    /// Several pictures side by side.
    split = Columns3;
    /// Stays in place.
    in_place = MapPin;
    /// Copies.
    copy = Copy;
    /// Pastes.
    paste = ClipboardPaste;
    /// A favourite.
    star = Star;
    /// Plays round and round.
    looping = Repeat;
    /// The library as one row.
    strip = RectangleEllipsis;
    /// The library as rows.
    grid = LayoutGrid;
    /// The library closed.
    closed = PanelBottomClose;
    /// Brings into view.
    frame = Maximize;
    /// Dark or light.
    theme = SunMoon;
    /// The user decided.
    by_user = UserRound;
    /// Something to heed.
    warning = TriangleAlert;
    /// Good to know.
    info = Info;
    /// Passes.
    pass = Check;
    /// Does not pass.
    miss = Minus;
    /// Clicks select.
    select = MousePointer2;
    /// Marks by a box.
    box_select = BoxSelect;
    /// Marks by a line.
    lasso = Lasso;
    /// Paints.
    brush = Brush;
    /// A region from its tip.
    tip = MapPinPlus;
    /// A region from root and tip.
    root_tip = Waypoints;
    /// Cuts in two.
    cut = Scissors;
    /// Moves a bone.
    move_bone = Move3D;
    /// On both sides.
    mirror = FlipHorizontal2;
    /// Through the skin in front.
    through = SquaresIntersect;
    /// Less.
    less = Minimize2;
    /// More.
    more = Maximize2;
    /// What hair is kept out of.
    collider = Shield;
    /// Turns a collider.
    turn_collider = Rotate3D;
    /// Makes a collider thicker.
    resize = Scale3D;
    /// A sphere.
    sphere = Circle;
    /// A capsule.
    capsule = Pill;
    /// The list of steps.
    history = History;
    /// Locked.
    lock = Lock;
    /// A part begins.
    range_start = ArrowRightFromLine;
    /// A part ends.
    range_end = ArrowRightToLine;
}
