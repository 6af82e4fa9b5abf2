"""A strain limiter behind MuJoCo: a grid of bodies on springs, whose velocities are filtered before they are used.

MuJoCo computes velocities (`mj_step1`, `mj_step2` with all forces); the limiter changes `data.qvel`, which is what the next
positions follow. Needs `pip install mujoco`; without it nothing of taut misses anything.
"""

import mujoco
import numpy as np

import taut

COUNT = 9
REST, TRIANGLES = taut.limit.grid(COUNT, COUNT)


def scene() -> str:
    """Point masses that slide in three directions, with springs between neighbours."""
    bodies, tendons = [], []
    for at, (x, y, z) in enumerate(REST):
        joints = "".join(f'<joint type="slide" axis="{a}" damping="0.002"/>' for a in ("1 0 0", "0 1 0", "0 0 1"))
        bodies.append(
            f'<body pos="{x} {y} {z}">{joints}<geom type="sphere" size="0.005" mass="0.003" contype="0" conaffinity="0"/>'
            f'<site name="s{at}"/></body>'
        )
    edges = {tuple(sorted(pair)) for t in TRIANGLES for pair in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))}
    for a, b in sorted(edges):
        tendons.append(f'<spatial stiffness="15" damping="0.01"><site site="s{a}"/><site site="s{b}"/></spatial>')
    return (
        '<mujoco><option timestep="0.002" gravity="0 -9.81 0" integrator="Euler"/>'
        f"<worldbody>{''.join(bodies)}</worldbody><tendon>{''.join(tendons)}</tendon></mujoco>"
    )


def simulate(limit: float | None, seconds: float = 1.0) -> float:
    """Hangs the sheet by one side; returns the largest strain of a thread in the end."""
    keep = None if limit is None else taut.limit.csl(REST, TRIANGLES, weft=limit, warp=limit, iterations=300)
    model = mujoco.MjModel.from_xml_string(scene())
    data = mujoco.MjData(model)
    dt, held = model.opt.timestep, REST[:, 2] < -0.49
    for _ in range(round(seconds / dt)):
        before = data.qpos.copy()
        mujoco.mj_step(model, data)
        velocities = data.qvel.reshape(-1, 3)
        velocities[held] = 0
        if keep is not None:
            velocities[:] = keep(REST + before.reshape(-1, 3), velocities, dt, fixed=held)
        # MuJoCo has moved already, by the velocities before the filter; here it moves by those after.
        data.qpos[:] = before + dt * data.qvel
    grid = (REST + data.qpos.reshape(-1, 3)).reshape(COUNT, COUNT, 3)
    threads = [np.linalg.norm(np.diff(grid, axis=axis), axis=2) * (COUNT - 1) - 1 for axis in (0, 1)]
    return float(max(t.max() for t in threads))


if __name__ == "__main__":
    for limit in (None, 0.02):
        print(f"limit {limit}: the longest thread is {100 * simulate(limit):.1f} % longer than at rest")
