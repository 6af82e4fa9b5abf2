// Drives the real page in headless Chromium: node --experimental-websocket scripts/view_web_test.mjs FOLDER [PICTURES] [TAUT]
// FOLDER is what scripts/view_web.sh built, PICTURES where screenshots go, TAUT a native `taut` whose state hashes must be the
// same. Needs chromium (Debian: apt install chromium) and Node 20.10 or later, nothing from npm.
import { spawn, execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, writeFileSync, mkdirSync, rmSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize, extname } from "node:path";
import { inflateSync } from "node:zlib";

const [folder, pictures, taut] = process.argv.slice(2);
if (pictures) mkdirSync(pictures, { recursive: true });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let passed = 0, failed = 0;
function check(what, ok, found = "") {
  ok ? passed++ : failed++;
  console.log(`${ok ? "ok  " : "FAIL"} ${what} ${found}`);
}

// A static server that knows nothing: just files by name.
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer((request, answer) => {
  const path = join(folder, normalize(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html"));
  if (!existsSync(path)) return answer.writeHead(404).end();
  answer.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));
const page = `http://127.0.0.1:${server.address().port}/index.html`;

const profile = mkdtempSync(join(tmpdir(), "taut-view-"));
// WebGL 2 by software, so that it is the same on every machine.
const chrome = spawn("chromium", ["--headless=new", "--no-sandbox", "--remote-debugging-port=0", `--user-data-dir=${profile}`,
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=1200,800", "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
const address = await new Promise((done, fail) => {
  let text = "";
  chrome.stderr.on("data", (data) => {
    text += data;
    const found = text.match(/DevTools listening on (ws:\S+)/);
    if (found) done(found[1]);
  });
  setTimeout(() => fail(new Error("Chromium does not start")), 60000);
});
const base = address.replace("ws://", "http://").replace(/\/devtools.*/, "");
const target = (await (await fetch(`${base}/json/list`)).json()).find((t) => t.type === "page");
const socket = new WebSocket(target.webSocketDebuggerUrl);
await new Promise((done) => (socket.onopen = done));
let next = 1;
const waiting = new Map(), said = [];
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.id) waiting.get(message.id)?.(message);
  if (message.method === "Runtime.exceptionThrown") said.push(message.params.exceptionDetails.text + " " + (message.params.exceptionDetails.exception?.description ?? ""));
  if (message.method === "Runtime.consoleAPICalled" && message.params.type === "error") said.push(message.params.args.map((a) => a.value ?? a.description).join(" "));
};
const call = (method, params = {}) => new Promise((done) => {
  waiting.set(next, done);
  socket.send(JSON.stringify({ id: next++, method, params }));
});
async function evaluate(expression) {
  const { result } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (result.exceptionDetails) throw new Error(result.exceptionDetails.exception?.description ?? result.exceptionDetails.text);
  return result.result.value;
}
const status = async () => JSON.parse((await evaluate("window.taut ? window.taut.status() : ''")) || "{}");
async function until(what, holds, seconds = 180) {
  for (let end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(150)) {
    const now = await status();
    if (holds(now)) return check(what, true), now;
  }
  const now = await status();
  check(what, false, JSON.stringify(now).slice(0, 600));
  return now;
}
const mouse = (type, [x, y], buttons = 0) => call("Input.dispatchMouseEvent", { type, x, y, button: buttons || type === "mouseReleased" ? "left" : "none", buttons, clickCount: 1 });
async function click(place) {
  await mouse("mouseMoved", place); await sleep(120);
  await mouse("mousePressed", place, 1); await sleep(120);
  await mouse("mouseReleased", place); await sleep(300);
}
const key = async (text, code) => {
  for (const type of ["keyDown", "keyUp"]) await call("Input.dispatchKeyEvent", { type, key: text, code, text: type === "keyDown" ? text : undefined, windowsVirtualKeyCode: text.toUpperCase().charCodeAt(0) });
  await sleep(300);
};
const middle = ([left, top, right, bottom]) => [(left + right) / 2, (top + bottom) / 2];

// A screenshot as pixels: 8-bit PNG without interlace, as Chromium writes it.
async function screenshot(name) {
  const { result } = await call("Page.captureScreenshot", { format: "png" });
  const bytes = Buffer.from(result.data, "base64");
  if (pictures && name) writeFileSync(join(pictures, `${name}.png`), bytes);
  let at = 8, width, height, channels; const parts = [];
  while (at < bytes.length) {
    const length = bytes.readUInt32BE(at), kind = bytes.toString("latin1", at + 4, at + 8);
    if (kind === "IHDR") [width, height, channels] = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12), bytes[at + 17] === 6 ? 4 : 3];
    if (kind === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts)), row = width * channels, pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const left = x >= channels ? pixels[y * row + x - channels] : 0, up = y ? pixels[(y - 1) * row + x] : 0;
      const corner = y && x >= channels ? pixels[(y - 1) * row + x - channels] : 0;
      const p = left + up - corner, [a, b, c] = [left, up, corner].map((v) => Math.abs(p - v));
      const guess = [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : corner][filter];
      pixels[y * row + x] = raw[y * (row + 1) + 1 + x] + guess;
    }
  }
  const at_ = (x, y) => [0, 1, 2].map((k) => pixels[Math.floor(y) * row + Math.floor(x) * channels + k]);
  const inside = ([left, top, right, bottom], holds) => {
    let count = 0;
    for (let y = Math.ceil(top); y < Math.min(bottom, height); y++) for (let x = Math.ceil(left); x < Math.min(right, width); x++) if (holds(at_(x, y))) count++;
    return count;
  };
  return { width, height, at: at_, inside };
}

try {
  await call("Runtime.enable"); await call("Page.enable");
  await call("Emulation.setDeviceMetricsOverride", { width: 1200, height: 800, deviceScaleFactor: 1, mobile: false });
  await call("Page.navigate", { url: `${page}?scene=hang` });
  let now = await until("the page loads and time goes on", (s) => s.frame > 3, 180);

  // Pause, and nothing moves any more.
  await click(middle(now.places.play));
  now = await until("a click on Pause stops it", (s) => s.playing === false);
  const stopped = now.frame;
  await sleep(800);
  check("paused frames stay", (await status()).frame === stopped);

  // The cloth is drawn: its red is there, and the floor's grey.
  const red = ([r, g, b]) => r > 90 && r > 1.6 * g && r > 1.6 * b;
  const rect = now.places.picture;
  let shot = await screenshot("hang");
  const cloth = shot.inside(rect, red);
  check("the cloth is on the screen", cloth > 5000, `${cloth} pixels`);

  // The map replaces the cloth's colour.
  await key("3", "Digit3");
  now = await until("key 3 shows warp strain", (s) => s.heat === "warp strain");
  await sleep(700);
  shot = await screenshot("hang-warp");
  check("the heat map replaces the fabric's colour", shot.inside(rect, red) < cloth / 2, `${shot.inside(rect, red)} pixels of red`);
  await key("1", "Digit1");

  // A hand pulls a vertex, and the page says so.
  await click(middle(now.places.play));
  now = await until("a click on Play goes on", (s) => s.playing && s.frame > stopped);
  await until("the sheet hangs calmer", (s) => s.frame > stopped + 40, 120);
  await click(middle(now.places.play));
  now = await until("paused to take aim", (s) => !s.playing);
  const grip = now.handle, before = await screenshot("before-pull");
  await mouse("mouseMoved", grip); await sleep(200);
  await mouse("mousePressed", grip, 1); await sleep(200);
  await mouse("mouseMoved", [grip[0] + 12, grip[1] - 6], 1); await sleep(300);
  now = await until("the hand holds a vertex", (s) => s.hand !== null);
  await key(" ", "Space");
  for (let k = 1; k <= 12; k++) { await mouse("mouseMoved", [grip[0] + 12 + 9 * k, grip[1] - 6 - 7 * k], 1); await sleep(120); }
  const pulled = await screenshot("pulled");
  now = await status();
  check("it still holds", now.hand !== null);
  let changed = 0;
  for (let y = Math.ceil(rect[1]); y < rect[3]; y += 2) for (let x = Math.ceil(rect[0]); x < rect[2]; x += 2) {
    const [p, q] = [before.at(x, y), pulled.at(x, y)];
    if (Math.abs(p[0] - q[0]) + Math.abs(p[1] - q[1]) + Math.abs(p[2] - q[2]) > 40) changed++;
  }
  check("the picture follows the hand", changed > 1000, `${changed} of every fourth pixel`);
  await mouse("mouseReleased", [grip[0] + 120, grip[1] - 90]);
  await until("let go", (s) => s.hand === null);

  // The first sliders are limits: this one lets the weft give more.
  const slide = async (place, from, to) => {
    const y = (place[1] + place[3]) / 2;
    await mouse("mouseMoved", [place[0] + from, y]); await sleep(150);
    await mouse("mousePressed", [place[0] + from, y], 1); await sleep(150);
    await mouse("mouseMoved", [place[0] + to, y], 1); await sleep(250);
    await mouse("mouseReleased", [place[0] + to, y]); await sleep(300);
  };
  now = await status();
  const before_limit = now.limits[0][0][0];
  await slide(now.places.weft, 50, 90);
  now = await until("the slider of the limit along weft acts", (s) => s.limits[0][0][0] !== before_limit && s.settings.limit?.length > 0);
  console.log(`     ${before_limit} along weft became ${now.limits[0][0][0]}`);

  // Solver words are folded away; unfolded, their sliders change the scene.
  check("substeps are folded away", now.places.substeps === undefined);
  await click(middle(now.places.solver));
  now = await until("the solver's header opens", (s) => s.places.substeps !== undefined);
  await sleep(600);
  await screenshot("settings");
  now = await status();
  const substeps = now.settings.solver.substeps;
  await slide(now.places.substeps, 60, 25);
  now = await until("the slider of substeps acts", (s) => s.settings.solver.substeps !== substeps);
  console.log(`     ${substeps} substeps became ${now.settings.solver.substeps}`);
  await click(middle(now.places.solver));

  // The wheel does not lose the scene.
  const far = now.camera, centre = middle(now.places.picture);
  await mouse("mouseMoved", centre);
  for (let k = 0; k < 60; k++) await call("Input.dispatchMouseEvent", { type: "mouseWheel", x: centre[0], y: centre[1], deltaX: 0, deltaY: 600 });
  await sleep(1500);
  now = await status();
  check("the camera stays near what is to be seen", now.camera > 2 * far && now.camera < 20 * far, `${far} ${now.camera} m`);
  await screenshot("farthest");
  await key("f", "KeyF");

  // The browser's dialog opens files.
  await call("Page.setInterceptFileChooserDialog", { enabled: true });
  const chooser = new Promise((done) => {
    const old = socket.onmessage;
    socket.onmessage = (event) => { const m = JSON.parse(event.data); if (m.method === "Page.fileChooserOpened") { socket.onmessage = old; done(m.params); } old(event); };
  });
  await click(middle(now.places.open));
  const opened = await Promise.race([chooser, sleep(8000)]);
  check("Open shows the browser's dialog", opened !== undefined);
  if (opened) {
    const path = join(profile, "chosen.toml");
    writeFileSync(path, '[time]\nframes = 90\n[[cloth]]\nname = "rag"\ngenerate = { kind = "sheet", nx = 12, ny = 12, centre = [0, 1, 0] }\n');
    await call("DOM.setFileInputFiles", { files: [path], backendNodeId: opened.backendNodeId });
    now = await until("a chosen file is shown", (s) => s.scene === "chosen.toml");
    now = await until("and ends where it says", (s) => s.frame === 90 && !s.playing && (s.note ?? "").includes("frame 90"));
    await sleep(500);
    check("it stays there", (await status()).frame === 90);
    await screenshot("end");
    await click(middle(now.places.play));
    await until("Play begins anew", (s) => s.playing && s.frame < 90);
  }
  await call("Page.setInterceptFileChooserDialog", { enabled: false });

  // Frames of this one take seconds: the page answers all the same, and stop means stop.
  await evaluate(`(() => {
    const data = new DataTransfer();
    const text = '[time]\\nfps = 24\\nframes = 100\\n[solver]\\nkind = "pbd"\\nsubsteps = 900\\n[[cloth]]\\nname = "heavy"\\n'
      + 'generate = { kind = "sheet", nx = 90, ny = 90, centre = [0, 1, 0] }\\n[[pin]]\\nbody = "heavy"\\nselect = { group = "top" }\\n';
    data.items.add(new File([text], "heavy.toml"));
    document.getElementById("canvas").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  now = await until("a heavy scene is shown", (s) => s.scene === "heavy.toml" && s.frame >= 1, 240);
  const slow = now.milliseconds;
  await evaluate(`(() => { window.gaps = []; let last = performance.now();
    window.beat = setInterval(() => { const t = performance.now(); window.gaps.push(t - last); last = t; }, 20); })()`);
  now = await until("another frame of it", (s) => s.frame >= now.frame + 1, 120);
  await key("5", "Digit5");
  const gaps = await evaluate("clearInterval(window.beat), window.gaps.sort((a, b) => b - a)");
  check("the page does not wait for a frame", gaps[0] < slow / 2, `the longest silence was ${gaps[0].toFixed(0)} ms, a frame took ${slow.toFixed(0)} ms`);
  now = await status();
  const seen = now.frame;
  await key(" ", "Space");
  // As soon as the page is drawn again, which may take long on a busy machine, and with the frame that was there.
  now = await until("stop is shown", (s) => s.playing === false, 20);
  check("with the frame that was shown", now.frame === seen, `frame ${seen} ${now.frame}`);
  now = await until("and the session has heard it", (s) => s.shown_playing === false, 60);
  check("stop means stop", now.frame === seen, `frame ${seen} ${now.frame}`);
  await screenshot("heavy");
  await call("Page.navigate", { url: `${page}?scene=hang` });
  now = await until("hang again", (s) => s.scene === "hang.toml" && s.frame > 10, 180);

  // Reset and a bad file: the scene goes on.
  await click(middle(now.places.reset));
  await until("Reset goes back", (s) => s.frame < 30);
  await evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(["[[cloth]]\\nname = 3\\n"], "bad.toml"));
    document.getElementById("canvas").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  now = await until("a malformed file shows its error", (s) => (s.error ?? "").includes("bad.toml"));
  await sleep(600);
  await screenshot("error");
  const frame = now.frame;
  await until("and the scene goes on", (s) => s.frame > frame);

  await click(middle((await status()).places.close));
  await until("the error can be put away", (s) => s.error === null);

  // Hands: pin, ball, wind, two settings; each is in the scene.
  now = await status();
  await mouse("mouseMoved", now.handle); await sleep(400);
  await key("p", "KeyP");
  await until("P pins what is under the pointer", (s) => s.settings.pin.length === now.settings.pin.length + 1);
  await key("b", "KeyB");
  await until("B throws a ball", (s) => (s.settings.collider ?? []).length === (now.settings.collider ?? []).length + 1);
  await key("v", "KeyV");
  await until("V makes wind", (s) => JSON.stringify(s.settings.air) !== JSON.stringify(now.settings.air));
  await sleep(800);
  await screenshot("hands");
  await key("c", "KeyC");
  await until("C compares two settings", (s) => s.sides === 2);
  await sleep(800);
  await screenshot("compare");
  await key("c", "KeyC");
  await until("and ends it", (s) => s.sides === 1);
  await key("g", "KeyG"); await sleep(1500);
  await screenshot("gallery");
  await key("g", "KeyG"); await sleep(300);
  await call("Page.navigate", { url: `${page}?scene=hang` });
  await until("hang once more", (s) => s.scene === "hang.toml" && s.frame > 3, 180);

  // A mesh becomes a scene.
  await evaluate(`(() => {
    const data = new DataTransfer(), lines = [];
    for (let y = 0; y < 9; y++) for (let x = 0; x < 9; x++) lines.push("v " + x / 8 + " 1 " + y / 8);
    for (let y = 1; y < 9; y++) for (let x = 1; x < 9; x++) { const a = 9 * y + x; lines.push("f " + [a - 9, a - 8, a + 1, a].join(" ")); }
    data.items.add(new File([lines.join("\\n")], "rug.obj"));
    document.getElementById("canvas").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  await until("a dropped mesh becomes a scene", (s) => s.scene === "rug.toml" && s.frame > 5 && s.error === null);
  await screenshot("dropped-mesh");

  // Resizing keeps drawing.
  await call("Emulation.setDeviceMetricsOverride", { width: 620, height: 560, deviceScaleFactor: 1, mobile: false });
  now = await until("the picture follows the window's size and fills it", (s) => s.places.picture[2] === 620 && s.places.picture[3] === 560);
  await screenshot("small");
  await call("Emulation.setDeviceMetricsOverride", { width: 1200, height: 800, deviceScaleFactor: 1, mobile: false });

  // Five scenes, to be looked at.
  for (const [scene, code] of [["drape", "1"], ["flag", "1"], ["limits", "6"], ["jelly", "7"], ["skirt", "4"]]) {
    await call("Page.navigate", { url: `${page}?scene=${scene}` });
    await sleep(500);
    await until(`${scene} runs`, (s) => s.scene === `${scene}.toml` && s.frame > 25, 240);
    await key(code, `Digit${code}`);
    await sleep(900);
    await screenshot(`scene-${scene}`);
  }

  // Without WebGL 2 the page says what to do.
  check("nothing was thrown", said.length === 0, said.join("\n").slice(0, 500));
  const { result: { identifier } } = await call("Page.addScriptToEvaluateOnNewDocument", { source: "HTMLCanvasElement.prototype.getContext = () => null" });
  await call("Page.navigate", { url: page });
  await sleep(1500);
  const message = await evaluate("document.getElementById('message').innerText");
  check("without WebGL 2 the page says what to do", message.includes("hardware acceleration"), message);
  await screenshot("no-webgl");
  await call("Page.removeScriptToEvaluateOnNewDocument", { identifier });

  // The same bits as natively, and what a frame costs without drawing.
  await call("Page.navigate", { url: `${page}?scene=torus` });
  await until("a page to compute on", (s) => s.frame >= 0, 120);
  await key(" ", "Space");
  const measure = async (scene, sets, frames) => JSON.parse(await evaluate(`window.taut.measure(${JSON.stringify(scene)}, ${JSON.stringify(sets)}, ${frames})`));
  const native = (scene, sets, frames) => {
    const out = mkdtempSync(join(tmpdir(), "taut-run-"));
    const args = ["run", scene, "--frames", String(frames), "--threads", "1", "--out", out, "--set", "output.pictures.every=0", "--set", "output.pictures.gif=false", "--quiet"];
    execFileSync(taut, [...args, ...sets.split("\n").filter(Boolean).flatMap((set) => ["--set", set])]);
    const lines = readFileSync(join(out, "metrics.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
    rmSync(out, { recursive: true });
    const times = lines.slice(1).map((line) => Object.values(line.ms).reduce((a, b) => a + b, 0)).sort((a, b) => a - b);
    return { hash: lines.at(-1).state_hash, milliseconds: times[times.length >> 1] };
  };
  if (taut) {
    for (const scene of ["hang", "flag", "jelly"]) {
      const web = await measure(scene, "", 300);
      const { hash } = native(scene, "", 300);
      check(`${scene} after 300 steps has the same bits`, web.hash === hash, `${web.hash} ${hash}`);
    }
  }
  for (const n of [43, 101]) {
    const sets = `cloth.0.generate.nx=${n}\ncloth.0.generate.ny=${n}`;
    const pairs = [];
    for (let k = 0; taut && k < 5; k++) pairs.push([await measure("hang", sets, 40), native("hang", sets, 40)]);
    // The least disturbed of each.
    const [web, own] = [0, 1].map((at) => Math.min(...pairs.map((pair) => pair[at].milliseconds)));
    if (taut) console.log(`     hang ${n}×${n}, one thread: ${web.toFixed(2)} ms a frame in the browser, ${own.toFixed(2)} natively, ${(web / own).toFixed(2)} times`);
  }
} catch (error) {
  check("the test itself", false, error.stack);
} finally {
  socket.close(); chrome.kill(); server.close();
  await sleep(500);
  rmSync(profile, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
