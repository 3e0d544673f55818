uniform vec3 eye;
uniform vec3 toKey;
uniform vec3 keyColor;
uniform vec3 toFill;
uniform vec3 fillColor;
uniform vec3 skyColor;
uniform vec3 bounceColor;
uniform float opacity;
uniform bool hasNormals;
uniform float normalOffset;     // metres, against shadow acne
uniform int finish;             // 0 lit, 1 as it is, 2 two tones
uniform bool isPlain;           // numbers are shown: every surface the same neutral tone
uniform vec3 plainColor;
uniform float heatThreshold;    // marked by a line; below 0 for none

in vec3 worldPosition;
in vec3 worldNormal;
in vec4 vertexColor;
in vec4 vertexTint;
in float vertexHeat;
in vec2 pictureUv;
out vec4 outColor;

void main() {
    vec4 own = surfaceColor(pictureUv, vertexColor);
    float alpha = own.a * opacity;
    vec3 v = normalize(eye - worldPosition);
    // Faceted where the file has no normals, as glTF asks.
    vec3 n = hasNormals ? normalize(worldNormal)
                        : normalize(cross(dFdx(worldPosition), dFdy(worldPosition)));
    if (dot(n, v) < 0.0 && (!hasNormals || !gl_FrontFacing)) n = -n;

    vec3 albedo = mix(isPlain ? plainColor : own.rgb, vertexTint.rgb, vertexTint.a);
    float heatShare = step(0.0, vertexHeat);
    if (vertexHeat >= 0.0) {
        vec3 ramp = linearFromSrgb(heatSrgb(vertexHeat));
        float away = abs(vertexHeat - heatThreshold) / max(fwidth(vertexHeat), 1e-6);
        float line = heatThreshold > 0.0 ? 1.0 - smoothstep(0.8, 1.8, away) : 0.0;
        albedo = mix(ramp, vec3(1.0), line);
    }

    float facing = dot(n, toKey);
    float shadow = keyLight(worldPosition + n * normalOffset, 0.0015, 1.0);
    // Wrapped, so that the terminator is soft as on skin and fur; shadows count only where the key could reach.
    float wrapped = clamp((facing + 0.3) / 1.3, 0.0, 1.0);
    float key = wrapped * mix(1.0, shadow, smoothstep(-0.25, 0.15, facing));
    float edge = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 4.0);
    if (finish == 1 && !isPlain) {
        outColor = vec4(srgbFromLinear(albedo), alpha);
        return;
    }
    if (finish == 2 && !isPlain) {
        float reached = mix(1.0, shadow, smoothstep(-0.25, 0.15, facing));
        vec3 shade = mix(toonShade(pictureUv, vertexColor.rgb), vertexTint.rgb * 0.7, vertexTint.a);
        float lit = toonLight(pictureUv, facing, reached);
        vec3 c = mix(shade, albedo, lit) + toonRim(pictureUv, n, v, reached);
        if (isOutline) c = outlineColor * mix(vec3(1.0), c, outlineMix);
        outColor = vec4(srgbFromLinear(c), alpha);
        return;
    }
    float fill = clamp((dot(n, toFill) + 0.4) / 1.4, 0.0, 1.0);
    vec3 dome = mix(bounceColor, skyColor, n.y * 0.5 + 0.5);
    // Light that entered beside the terminator comes out warmer.
    vec3 bleed = vec3(1.0, 0.62, 0.45) * (1.0 - abs(facing)) * wrapped * 0.12;
    vec3 light = dome + fillColor * fill + keyColor * key * (1.0 + bleed);
    // A number's colour must stay readable in the shade and lose nothing to highlights.
    light = mix(light, vec3(mix(0.72, 1.0, clamp(light.g, 0.0, 1.0))), heatShare);

    vec3 h = normalize(toKey + v);
    float gloss = pow(clamp(dot(n, h), 0.0, 1.0), 28.0) * 0.10 * key * (1.0 - heatShare);
    vec3 c = albedo * light + gloss * keyColor + edge * skyColor * 0.35 * (1.0 - heatShare);
    outColor = vec4(srgbFromLinear(toneMap(c)), alpha);
}
