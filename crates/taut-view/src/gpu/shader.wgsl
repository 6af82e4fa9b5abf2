// One light with a soft shadow, a sky above and a floor below. Colours are computed in linear light and written as sRGB.

struct Globals {
    view: mat4x4<f32>,
    light: mat4x4<f32>,
    // Where the eye is; w is the radius of the scene, m.
    eye: vec4<f32>,
    // Towards the light; w is the size of a texel of the shadow picture.
    sun: vec4<f32>,
    // The middle of the scene; w is the height of the floor, m.
    centre: vec4<f32>,
};

@group(0) @binding(0) var<uniform> globals: Globals;
@group(1) @binding(0) var shadow_map: texture_depth_2d;
@group(1) @binding(1) var shadow_sampler: sampler_comparison;

const SKY: vec3<f32> = vec3<f32>(0.62, 0.69, 0.80);
const GROUND: vec3<f32> = vec3<f32>(0.36, 0.33, 0.30);
const KEY: vec3<f32> = vec3<f32>(1.0, 0.955, 0.88);
const BACKDROP_TOP: vec3<f32> = vec3<f32>(0.71, 0.75, 0.80);
const BACKDROP_BOTTOM: vec3<f32> = vec3<f32>(0.84, 0.845, 0.85);

fn to_linear(c: vec3<f32>) -> vec3<f32> {
    return select(pow((c + 0.055) / 1.055, vec3<f32>(2.4)), c / 12.92, c <= vec3<f32>(0.04045));
}

fn to_srgb(c: vec3<f32>) -> vec3<f32> {
    let x = clamp(c, vec3<f32>(0.0), vec3<f32>(1.0));
    return select(1.055 * pow(x, vec3<f32>(1.0 / 2.4)) - 0.055, 12.92 * x, x <= vec3<f32>(0.0031308));
}

// How much of the light arrives, 0 to 1. `spread` is how soft the edge is, in texels.
fn lit(place: vec3<f32>, normal: vec3<f32>, spread: f32) -> f32 {
    // A little along the normal, so that a surface does not shade itself.
    let offset = place + normal * (2.5 * globals.sun.w * globals.eye.w);
    let p = globals.light * vec4<f32>(offset, 1.0);
    let uv = vec2<f32>(0.5 + 0.5 * p.x, 0.5 - 0.5 * p.y);
    if (uv.x <= 0.0 || uv.y <= 0.0 || uv.x >= 1.0 || uv.y >= 1.0 || p.z >= 1.0) {
        return 1.0;
    }
    var sum = 0.0;
    for (var i = -1; i <= 1; i++) {
        for (var j = -1; j <= 1; j++) {
            let at = uv + vec2<f32>(f32(i), f32(j)) * spread * globals.sun.w;
            sum += textureSampleCompareLevel(shadow_map, shadow_sampler, at, p.z - 0.0008);
        }
    }
    return sum / 9.0;
}

struct Seen {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
};

@vertex
fn surface_vertex(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
) -> Seen {
    return Seen(globals.view * vec4<f32>(position, 1.0), position, normal, colour);
}

@vertex
fn shadow_vertex(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return globals.light * vec4<f32>(position, 1.0);
}

@fragment
fn surface_fragment(in: Seen, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let outward = normalize(in.normal);
    let n = select(-outward, outward, front);
    let v = normalize(globals.eye.xyz - in.place);
    let l = globals.sun.xyz;
    var base = to_linear(in.colour.rgb);
    let cloth = in.colour.a > 0.9;
    let map = in.colour.a < 0.25;
    // The other side of a fabric is a little paler.
    if (cloth && !front) {
        base = mix(base, vec3<f32>(dot(base, vec3<f32>(0.33))), 0.35) * 1.08 + 0.02;
    }
    // Light wraps around: cloth lets some of it through.
    let wrap = select(0.0, 0.25, cloth || map);
    let facing = clamp((dot(n, l) + wrap) / (1.0 + wrap), 0.0, 1.0);
    let shadow = lit(in.place, n * sign(dot(n, l) + 1e-6), 1.3);
    let ambient = mix(GROUND, SKY, 0.5 + 0.5 * n.y);
    let rim = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 3.0);
    let h = normalize(l + v);
    let gloss = pow(clamp(dot(n, h), 0.0, 1.0), 40.0) * shadow;
    var light = 0.62 * ambient + 0.95 * KEY * facing * shadow;
    // Colours of a map are read, so that shade only hints at the shape.
    if (map) {
        light = mix(vec3<f32>(0.98), light, 0.45);
    }
    var colour = base * light;
    if (cloth) {
        colour += rim * 0.22 * (0.4 + base) * ambient;
    } else if (!map) {
        colour += vec3<f32>(0.10 * gloss) + 0.05 * rim * ambient;
    }
    return vec4<f32>(to_srgb(colour), 1.0);
}

@fragment
fn line_fragment(in: Seen) -> @location(0) vec4<f32> {
    return vec4<f32>(to_srgb(to_linear(in.colour.rgb) * 0.22), 0.75);
}

struct Backdrop {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
};

@vertex
fn backdrop_vertex(@builtin(vertex_index) index: u32) -> Backdrop {
    let at = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u));
    return Backdrop(vec4<f32>(at * 2.0 - 1.0, 1.0, 1.0), at);
}

@fragment
fn backdrop_fragment(in: Backdrop) -> @location(0) vec4<f32> {
    return vec4<f32>(mix(BACKDROP_BOTTOM, BACKDROP_TOP, smoothstep(0.2, 1.0, in.at.y)), 1.0);
}

struct FloorSeen {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
};

@vertex
fn floor_vertex(@builtin(vertex_index) index: u32) -> FloorSeen {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let reach = 9.0 * globals.eye.w;
    let place = vec3<f32>(globals.centre.x + corner.x * reach, globals.centre.w, globals.centre.z + corner.y * reach);
    return FloorSeen(globals.view * vec4<f32>(place, 1.0), place);
}

@fragment
fn floor_fragment(in: FloorSeen) -> @location(0) vec4<f32> {
    let away = length(in.place.xz - globals.centre.xz) / globals.eye.w;
    let shadow = lit(in.place, vec3<f32>(0.0, 1.0, 0.0), 2.6);
    // Seen from below, only a hint of it.
    let above = select(0.25, 1.0, globals.eye.y > globals.centre.w);
    let base = vec3<f32>(0.62, 0.615, 0.61);
    let colour = base * (0.52 * SKY + 0.78 * KEY * globals.sun.y * shadow);
    // Fades before its end, where there is no floor but backdrop.
    let fade = (1.0 - smoothstep(1.6, 6.0, away)) * above;
    // What is in the shade stays visible further out than the floor itself.
    return vec4<f32>(to_srgb(colour), fade);
}
