//! What a step needs besides model and state.

use super::end_solve::EndMemory;
use super::limit::StepLimits;
use super::roll_back::Snapshot;
use crate::constraint::LaneChoice;
#[cfg(feature = "global")]
use crate::constraint::Stops;
use crate::contact::pipeline::ContactPipeline;
use crate::lanes::Level;
use crate::lanes::{Scalar, Vertex, Width};
#[cfg(feature = "global")]
use crate::levels::Identity;
use crate::levels::Inextensible;
use crate::limit::LimitReport;
#[cfg(feature = "global")]
use crate::model::Model;
#[cfg(feature = "global")]
use crate::solve::Solver;
#[cfg(feature = "global")]
use crate::solve::global::Global;
#[cfg(feature = "global")]
use crate::solve::scheme::Integrator;
use crate::state::State;
use crate::team::Team;
use std::sync::{Mutex, PoisonError};

/// What a step needs besides model and state: threads, memory to work in, and how to tell the time.
#[derive(Debug)]
pub struct Scratch<T: Scalar> {
    pub(super) team: Team,
    pub(super) lanes: LaneChoice,
    pub(super) clock: Option<fn() -> f64>,
    pub(super) eager: bool,
    pub(super) memory: StepMemory<T>,
}

/// Memory to work in. What depends on the model alone is kept from step to step.
#[derive(Debug, Default)]
pub(super) struct StepMemory<T: Scalar> {
    /// x at a substep's start.
    pub x_start: Vec<Vertex<T>>,
    /// x̃.
    pub x_predicted: Vec<Vertex<T>>,
    /// M⁻¹ Jᵀ λ.
    pub elastic: Vec<Vertex<T>>,
    /// How far simple colliders have pressed each vertex, m, and whether anything has touched it.
    pub pressed: Vec<T>,
    pub touched: Vec<bool>,
    #[cfg(feature = "global")]
    pub global: Global,
    /// What that is ready for.
    #[cfg(feature = "global")]
    pub global_for: Option<(Identity, Solver)>,
    pub contact: Mutex<ContactPipeline<T>>,
    pub limit: StepLimits<T>,
    pub inextensibility: Inextensible<T>,
    pub end: Mutex<EndMemory<T>>,
    pub snapshot: Mutex<Snapshot<T>>,
    /// Where a span of the step began, for as long as it may have to be made anew.
    pub start: Option<State<T>>,
}

impl<T: Scalar> StepMemory<T> {
    /// Gets ready for a solver that treats all elements together.
    #[cfg(feature = "global")]
    pub fn prepare_global(&mut self, model: &Model<T>, (solver, integrator): (Solver, Integrator), lanes: LaneChoice) {
        let wanted = Some((model.identity.clone(), solver));
        if self.global_for != wanted {
            self.global.prepare(&model.elements, &model.user_rows, model.vertices(), solver);
            if solver == Solver::Multigrid {
                let rest = model.at_rest();
                self.global.prepare_multigrid(&model.elements, &rest.places(), &rest.lattices(), lanes);
            }
            self.global_for = wanted;
        }
        // A scheme that keeps the energy of what it cannot follow would have it grow without end.
        let stops = if integrator.forgets() { self.inextensibility.stops().clone() } else { Stops::default() };
        self.global.settle_stops(&stops);
    }

    /// Keeps in mind where a span of a step begins.
    pub fn keep_start(&mut self, state: &State<T>) {
        self.contact.get_mut().unwrap_or_else(PoisonError::into_inner).keep();
        match &mut self.start {
            Some(start) => start.copy_from(state),
            None => self.start = Some(state.clone()),
        }
    }

    /// Puts a state back to where the span began.
    pub fn go_back(&mut self, state: &mut State<T>) {
        self.contact.get_mut().unwrap_or_else(PoisonError::into_inner).go_back();
        if let Some(start) = &self.start {
            state.copy_from(start);
        }
    }

    /// Lists for so many vertices, none of which touches anything.
    pub fn lay_out(&mut self, vertices: usize) {
        for list in [&mut self.x_start, &mut self.x_predicted, &mut self.elastic] {
            list.resize(vertices, [T::of(0.0); 4]);
        }
        self.pressed.clear();
        self.pressed.resize(vertices, T::of(0.0));
        self.touched.clear();
        self.touched.resize(vertices, false);
    }
}

impl<T: Scalar> Scratch<T> {
    /// Works on up to `threads` threads. The results do not depend on it.
    pub fn new(threads: usize) -> Self {
        Scratch {
            team: Team::new(threads),
            lanes: LaneChoice { width: Width::default(), level: Level::new() },
            clock: None,
            eager: false,
            memory: StepMemory::default(),
        }
    }

    /// Uses all threads even where the model is too small for them to pay.
    pub fn eager(self) -> Self {
        Scratch { eager: true, ..self }
    }

    /// Uses this lane width. The results do not depend on it.
    pub fn with_width(self, width: Width) -> Self {
        Scratch { lanes: LaneChoice { width, ..self.lanes }, ..self }
    }

    /// What each of the model's limiters did in the last step, all substeps together.
    pub fn limit_reports(&mut self) -> &[LimitReport] {
        self.memory.limit.reports()
    }

    /// Times stages with this clock, which returns seconds. The engine has none of its own. If it panics the step does,
    /// on as many threads as there are, and the state is somewhere between two steps.
    pub fn with_clock(self, clock: fn() -> f64) -> Self {
        Scratch { clock: Some(clock), ..self }
    }
}
