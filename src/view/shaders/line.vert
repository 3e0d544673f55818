// A segment as a ribbon of constant width on the screen.
uniform mat4 clipFromWorld;
uniform vec2 viewportPx;
uniform float widthPx;
in vec3 from;
in vec3 to;
in vec3 corner;                 // x: 0 at `from`, 1 at `to`; y: side, -1 or 1; z: metres from the line's start
in vec4 color;                  // a negative alpha means dashed
out vec4 lineColor;
out float along;
out float across;
void main() {
    vec4 a = clipFromWorld * vec4(from, 1.0);
    vec4 b = clipFromWorld * vec4(to, 1.0);
    vec2 way = (b.xy / max(b.w, 1e-4) - a.xy / max(a.w, 1e-4)) * viewportPx;
    vec2 direction = length(way) > 1e-6 ? normalize(way) : vec2(1.0, 0.0);
    vec4 p = mix(a, b, corner.x);
    vec2 offset = vec2(-direction.y, direction.x) * corner.y + direction * (corner.x * 2.0 - 1.0) * 0.5;
    p.xy += offset * (widthPx + 1.0) / viewportPx * p.w;
    gl_Position = p;
    lineColor = color;
    along = corner.z;
    across = corner.y;
}
