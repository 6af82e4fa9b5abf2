//! Constraints of the user's own in a step. The first worker solves them, while the others wait.

use super::arrays::Chunk;
use super::run::Run;
use super::solve::PushTo;
use crate::lanes::Scalar;
use crate::solve::soft::SoftLaw;
use crate::solve::user::{Rates, UserRows, UserSolver};
use crate::solve::warm::WarmStart;
use crate::team::Worker;
use std::sync::PoisonError;

impl<T: Scalar> Run<'_, T> {
    /// Lets the first worker do something with the user's rows, if there are any, and all wait for it.
    pub(super) fn with_user(&self, worker: Worker<'_>, f: impl FnOnce(&mut UserSolver<T>, &UserRows, Chunk<'_, T>)) {
        let rows = &self.model.user_rows;
        if !rows.batches.is_empty() {
            self.arrays.alone(worker, |lists| {
                f(&mut self.multipliers.user.lock().unwrap_or_else(PoisonError::into_inner), rows, lists);
            });
        }
    }

    /// One sweep over the rows with a compliance. Returns the largest residual, which the first worker knows.
    pub(super) fn relax_user(&self, worker: Worker<'_>, law: &SoftLaw) -> f64 {
        let mut worst = 0.0;
        self.with_user(worker, |desk, rows, lists| {
            worst = desk.relax(rows, lists.x, Rates { x_predicted: lists.x_predicted, v: lists.v }, law);
        });
        worst
    }

    /// One sweep over those that are projected.
    pub(super) fn project_user(&self, worker: Worker<'_>) {
        if self.model.user_rows.projected {
            self.with_user(worker, |desk, rows, lists| desk.project(rows, lists.x));
        }
    }

    /// Adds `scale` · M⁻¹ Jᵀ λ of the user's rows. With a memory, λ becomes what it keeps of it first.
    pub(super) fn apply_user(&self, worker: Worker<'_>, to: PushTo, scale: f64, memory: Option<WarmStart>) {
        self.with_user(worker, |desk, rows, lists| {
            let to = match to {
                PushTo::Positions => None,
                PushTo::Velocities => Some(lists.v),
                PushTo::Elastic => Some(lists.elastic),
            };
            desk.apply(rows, lists.x, to, scale, memory);
        });
    }
}
