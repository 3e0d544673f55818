// The heat ramp, viridis, from 0 (dark blue) to 1 (yellow), sRGB; the same polynomial as `look::heat`.
vec3 heatSrgb(float t) {
    const vec3 c0 = vec3(0.2777273, 0.0054073, 0.3340998);
    const vec3 c1 = vec3(0.105093, 1.4046135, 1.3845902);
    const vec3 c2 = vec3(-0.3308618, 0.21484756, 0.0950952);
    const vec3 c3 = vec3(-4.6342305, -5.799101, -19.332441);
    const vec3 c4 = vec3(6.22827, 14.179933, 56.690553);
    const vec3 c5 = vec3(4.776385, -13.745145, -65.35303);
    const vec3 c6 = vec3(-5.435456, 4.6458526, 26.312435);
    t = clamp(t, 0.0, 1.0);
    return clamp(c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * (c5 + t * c6))))), 0.0, 1.0);
}
