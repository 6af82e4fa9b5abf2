//! Where everything would go if nothing but outer forces, and the elastic forces of before, acted on it.

use super::Precision;
use super::arrays::{At, Chunk};
use super::run::{Run, Substep};
use crate::lanes::Scalar;
use crate::solve::aero::Blow;
use crate::solve::scheme::Scheme;
use crate::team::Worker;

impl<T: Precision> Run<'_, T> {
    /// Forces into velocities, velocities into candidate positions, pins to where they have to be.
    pub(super) fn predict(&self, worker: Worker<'_>, substep: &Substep<T>) {
        let (scheme, h) = (&substep.scheme, self.time.h);
        self.recall_forces(worker, substep);
        let kick = self.params.gravity.map(|g| T::of(g * h));
        let windy = self.params.air.acts();
        if windy {
            self.blow(worker, kick);
        }
        let touches = self.parts.contact.is_some() || !self.colliders.is_empty();
        self.arrays.on_chunk(worker, |mut chunk| {
            if touches {
                chunk.pressed.fill(T::of(0.0));
                chunk.touched.fill(false);
            }
            if scheme.plain(h) && self.arrays.before.is_empty() {
                chunk.drift(T::of(h), if windy { [T::of(0.0); 3] } else { kick });
            } else {
                chunk.carry(scheme, (!windy).then_some(kick));
            }
            self.move_pins(substep, chunk);
        });
    }

    /// M⁻¹ Jᵀ λ of the substep before, for integrators that use it again.
    fn recall_forces(&self, worker: Worker<'_>, substep: &Substep<T>) {
        let (multipliers, first) = (&self.multipliers, substep.number == 0);
        let forces = substep.scheme.looks_back();
        if multipliers.unknown && first && (forces || multipliers.warm_start) {
            self.arrays.on_chunk(worker, |chunk| chunk.x_predicted.copy_from_slice(chunk.x));
            self.follow(worker, substep.scheme.rate);
        }
        let kept = !self.arrays.last_accelerations.is_empty() && (multipliers.accelerations_known || !first);
        if forces && kept {
            self.arrays.on_chunk(worker, |chunk| chunk.elastic.copy_from_slice(chunk.last_accelerations));
        } else if forces {
            self.recall_multipliers(worker, 1.0);
        }
    }

    /// Gravity's and the air's part of the velocities. What they were goes to `x_predicted`.
    fn blow(&self, worker: Worker<'_>, kick: [T; 3]) {
        self.arrays.on_chunk(worker, |mut chunk| {
            chunk.each(|_, at| {
                at.x_predicted = at.v;
                if at.x[3] > T::of(0.0) {
                    at.v = [at.v[0] + kick[0], at.v[1] + kick[1], at.v[2] + kick[2], at.v[3]];
                }
            });
        });
        let (mut blow, arrays) = (Blow { air: self.params.air, h: self.time.h }, &self.arrays);
        self.over(worker).run(&self.model.faces, [arrays.x, arrays.v], &mut blow);
    }

    /// Held vertices go the same part of their way in each substep, and arrive in the last.
    fn move_pins(&self, substep: &Substep<T>, mut chunk: Chunk<'_, T>) {
        let (part, rate) = (T::of(1.0 / self.time.left(substep.number)), T::of(1.0 / self.time.h));
        let end = chunk.first + chunk.x.len();
        let start = self.targets.partition_point(|t| (t.0 as usize) < chunk.first);
        for &(i, target) in self.targets[start..].iter().take_while(|t| (t.0 as usize) < end) {
            let Some(target) = target else { continue };
            chunk.change(i as usize - chunk.first, |at| {
                for k in 0..3 {
                    let way = (target[k] - at.x[k]) * part;
                    at.x[k] = if substep.arrives { target[k] + T::of(0.0) } else { at.x[k] + way };
                    at.v[k] = (at.x[k] - at.x_start[k]) * rate;
                }
                at.x_predicted = at.x;
            });
        }
    }
}

impl<T: Scalar> Chunk<'_, T> {
    /// v += kick, x += h v, for what is free: [`carry`](Self::carry) for implicit Euler.
    ///
    /// No place is −0: whether a row that has nothing to move makes 0 of it depends on what else is in its lanes.
    ///
    /// On whole vertices (the fourth number of a velocity is zero), and on no more lists than it needs: in a sheet of
    /// edges half of all time was spent here and in [`update_velocities_plainly`](Self::update_velocities_plainly).
    fn drift(&mut self, h: T, kick: [T; 3]) {
        let zero = T::of(0.0);
        let kick = [kick[0], kick[1], kick[2], zero];
        let lists = self.x.iter_mut().zip(&mut *self.v).zip(&mut *self.x_start).zip(&mut *self.x_predicted);
        for (((x, v), x_start), x_predicted) in lists {
            let start = x.map(|c| c + zero);
            let (mut to, mut speed) = (start, [zero; 4]);
            for k in 0..4 {
                speed[k] = v[k] + kick[k];
                to[k] = start[k] + speed[k] * h;
            }
            if start[3] <= zero {
                (to, speed) = (start, [zero; 4]);
            }
            (*x, *v, *x_predicted, *x_start) = (to, speed, to, start);
        }
    }

    /// x̃ and ṽ of any integrator. The external change of velocity is `kick`, or what the air and gravity have done
    /// already.
    fn carry(&mut self, scheme: &Scheme, kick: Option<[T; 3]>) {
        let of = |v: f64| T::of(v);
        let (again, carry, keep) = (of(scheme.again), scheme.carry.map(of), scheme.keep.map(of));
        let (by_kick, by_force, gain, impulse) =
            (of(scheme.kick), of(scheme.force), of(scheme.gain), of(scheme.impulse));
        let remembers = !self.before.is_empty();
        self.each(|_, at: &mut At<T>| {
            let v = if kick.is_some() { at.v } else { at.x_predicted };
            let [x1, v1] = if remembers { core::mem::replace(&mut at.before, [at.x, v]) } else { [at.x, v] };
            at.x = at.x.map(|c| c + of(0.0));
            at.x_start = at.x;
            if at.x[3] > of(0.0) {
                for k in 0..3 {
                    let kick = kick.map_or(at.v[k] - v[k], |kick| kick[k]);
                    let moved = v[k] * carry[0] + v1[k] * carry[1] + kick * by_kick + at.elastic[k] * by_force;
                    at.x[k] = at.x[k] + ((at.x[k] - x1[k]) * again + moved);
                    at.v[k] = v[k] * keep[0] + v1[k] * keep[1] + kick * gain + at.elastic[k] * impulse;
                }
            } else {
                at.v = [of(0.0); 4];
            }
            at.x_predicted = at.x;
        });
    }
}
