uniform vec3 eye;
uniform vec3 toKey;
uniform vec3 keyColor;
uniform vec3 toFill;
uniform vec3 fillColor;
uniform vec3 skyColor;
uniform vec3 bounceColor;
uniform vec3 baseColor;
uniform float opacity;
uniform bool hasNormals;
uniform float normalOffset;     // metres, against shadow acne

in vec3 worldPosition;
in vec3 worldNormal;
in vec4 vertexColor;
in vec4 vertexTint;
out vec4 outColor;

void main() {
    vec3 v = normalize(eye - worldPosition);
    // Faceted where the file has no normals, as glTF asks.
    vec3 n = hasNormals ? normalize(worldNormal)
                        : normalize(cross(dFdx(worldPosition), dFdy(worldPosition)));
    if (dot(n, v) < 0.0 && (!hasNormals || !gl_FrontFacing)) n = -n;

    vec3 albedo = baseColor * vertexColor.rgb;
    albedo = mix(albedo, vertexTint.rgb, vertexTint.a);

    float facing = dot(n, toKey);
    float shadow = keyLight(worldPosition + n * normalOffset, 0.0015, 1.0);
    // Wrapped, so that the terminator is soft as on skin and fur; shadows count only where the key could reach.
    float wrapped = clamp((facing + 0.3) / 1.3, 0.0, 1.0);
    float key = wrapped * mix(1.0, shadow, smoothstep(-0.25, 0.15, facing));
    float fill = clamp((dot(n, toFill) + 0.4) / 1.4, 0.0, 1.0);
    vec3 dome = mix(bounceColor, skyColor, n.y * 0.5 + 0.5);
    // Light that entered beside the terminator comes out warmer.
    vec3 bleed = vec3(1.0, 0.62, 0.45) * (1.0 - abs(facing)) * wrapped * 0.12;
    vec3 light = dome + fillColor * fill + keyColor * key * (1.0 + bleed);

    vec3 h = normalize(toKey + v);
    float edge = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 4.0);
    float gloss = pow(clamp(dot(n, h), 0.0, 1.0), 28.0) * 0.10 * key;
    vec3 c = albedo * light + gloss * keyColor + edge * skyColor * 0.35;
    outColor = vec4(srgbFromLinear(toneMap(c)), opacity);
}
