"""Scenes: the same as the program's."""

from __future__ import annotations

import json
import pickle
import subprocess

import numpy as np
import pytest

import taut

SMALL = {"time.frames": 4}


def test_frames_come_one_after_another_and_stay_as_they_are():
    frames = list(taut.simulate(taut.Scene("hang", SMALL)))
    assert [frame.number for frame in frames] == [0, 1, 2, 3, 4]
    (name,) = frames[0].positions
    heights = [frame.positions[name][:, 1].min() for frame in frames]
    assert heights == sorted(heights, reverse=True) and heights[4] < heights[0]
    assert frames[4].fields[name]["weft"].shape == (len(frames[4]._simulation.object(name)["triangles"]),)
    with pytest.raises(taut.Error, match="fields of frame 1 are gone"):
        frames[1].fields
    assert frames[4].metrics["state_hash"] == frames[4].hash


def test_changes_are_checked_and_kept():
    scene = taut.Scene("drape")
    scene.set("solver.max_stretch", 0.01).set("cloth.0.fabric", "denim")
    assert scene.settings()["solver"]["max_stretch"] == 0.01
    with pytest.raises(taut.SceneError, match="did you mean `max_stretch`"):
        scene.set("solver.max_strech", 0.01)
    assert scene.sets == ["solver.max_stretch=0.01", 'cloth.0.fabric="denim"']
    again = pickle.loads(pickle.dumps(scene))
    assert again.sets == scene.sets and again.text == scene.text


def test_errors_are_the_programs_own(program):
    done = subprocess.run([program, "check", "nowhere.toml"], capture_output=True, text=True)
    with pytest.raises(taut.SceneError) as error:
        taut.Scene("nowhere.toml")
    assert done.returncode == 2 and str(error.value).strip() in done.stderr


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", ["hang", "drape", "jelly"])
def test_the_same_state_as_the_program(program, tmp_path, name, precision):
    out = tmp_path / "run"
    flags = ["--precision", precision, "--frames", "4", "--quiet", "--set", "output.pictures.size=[16, 16]"]
    subprocess.run([program, "run", name, "--out", out, *flags], check=True, capture_output=True)
    lines = (out / "metrics.jsonl").read_text().splitlines()
    theirs = [json.loads(line)["state_hash"] for line in lines]
    ours = [frame.hash for frame in taut.simulate(name, frames=4, precision=precision)]
    assert ours[1:] == theirs[-4:] and len(set(theirs)) >= 4


def test_a_run_has_curves_and_pictures():
    run = taut.run("hang", frames=3, pictures=2)
    assert np.allclose(run.curves["time"], np.arange(4) / 60)
    assert [frame for frame, _ in run.pictures] == [0, 3] and all(png[:4] == b"\x89PNG" for _, png in run.pictures)
    assert run.frame.number == 3 and run.curves["kinetic"][3] > 0


def test_texts_and_values_of_all_kinds():
    text = '[[cloth]]\nname = "a"\ngenerate = { kind = "sheet", nx = 4, ny = 4 }\n'
    scene = taut.Scene.parse(text, {"cloth.a.density": np.float32(0.25), "world.gravity": np.array([0, -1, 0.5])})
    settings = scene.settings()
    assert settings["cloth"][0]["density"] == 0.25 and settings["world"]["gravity"] == [0, -1, 0.5]
    scene.set("cloth.a.generate", {"kind": "sheet", "nx": 3, "ny": 5})
    simulation = taut.Simulation(scene)
    assert simulation.object("a")["rest"].shape == (15, 3)
    with pytest.raises(taut.Error, match="expected a number, a text"):
        scene.set("cloth.a.density", object())
