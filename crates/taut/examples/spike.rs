use taut::element::*; use taut::lanes::*; use taut::pack::*; use taut::solve::pbd::*;
use std::time::Instant;
fn go<E: Element<V,D,P,R>, const V:usize,const D:usize,const P:usize,const R:usize>(name:&str, loose:&[Loose<V,P,R>], xs:&[[f32;4]]) {
    let b = Batch::<f32,V,P,R>::pack(loose, xs.len() as u32 -1);
    let level = fearless_simd::Level::new();
    for w in Width::ALL {
        let mut best=f64::MAX; 
        let mut x = xs.to_vec();
        let iters = (20_000_000/loose.len()/8).max(3);
        for _ in 0..5 { let t=Instant::now();
            for _ in 0..iters { let s=Shared::new(&mut x); for c in &b.colours { f32::run(w, level, unsafe{Project::<E,f32,V,D,P,R>::new(&b.blocks[c.clone()], b.stiff_rows, s)}); } }
            best=best.min(t.elapsed().as_secs_f64()/iters as f64/loose.len() as f64*1e9);
        }
        println!("{name:12} n {:7} colours {:3} w{:2} {best:.2} ns  {:?}", loose.len(), b.colours.len(), w.lanes(), x[x.len()/3]);
    }
}
fn main(){
    for n in [43usize, 317] {
        let mut xs:Vec<[f32;4]>=vec![]; for j in 0..n { for i in 0..n { let (a,b)=(i as f32/(n-1) as f32, j as f32/(n-1) as f32); xs.push([a*1.01, b*0.99+0.05*(a*9.0).sin()/n as f32, 0.02*(b*7.0).sin(), 1.0]); } }
        xs[0][3]=0.0; xs.push([0.0;4]);
        let h=1.0/(n-1) as f64; let id=|i:usize,j:usize| (j*n+i) as u32;
        let mut tris=vec![]; let mut edges=vec![]; let mut hinges=vec![];
        for j in 0..n-1 { for i in 0..n-1 {
            let q=1.0/h;
            tris.push(Loose{index:[id(i,j),id(i+1,j),id(i,j+1)],rest:[q,0.0,0.0,q,1.0,1.0],stiffness:[1.0,1.0,1.0,0.0],damping:[0.0;4]});
            tris.push(Loose{index:[id(i+1,j+1),id(i,j+1),id(i+1,j)],rest:[-q,0.0,0.0,-q,1.0,1.0],stiffness:[1.0,1.0,1.0,0.0],damping:[0.0;4]});
            edges.push(Loose{index:[id(i,j),id(i+1,j)],rest:[q,1.0],stiffness:[1.0],damping:[0.0]});
            edges.push(Loose{index:[id(i,j),id(i,j+1)],rest:[q,1.0],stiffness:[1.0],damping:[0.0]});
            edges.push(Loose{index:[id(i+1,j),id(i,j+1)],rest:[q/2f64.sqrt(),1.0],stiffness:[1.0],damping:[0.0]});
            hinges.push(Loose{index:[id(i+1,j),id(i,j+1),id(i,j),id(i+1,j+1)],rest:[0.0],stiffness:[0.1],damping:[0.0]});
        }}
        go::<TriStrain<Improved>,3,2,6,4>("tri",&tris,&xs);
        go::<Edge,2,1,2,1>("edge",&edges,&xs);
        go::<Hinge,4,3,1,1>("hinge",&hinges,&xs);
    }
    for n in [9usize, 33] {
        let mut xs:Vec<[f32;4]>=vec![]; let h=1.0/(n-1) as f32;
        for k in 0..n { for j in 0..n { for i in 0..n { xs.push([i as f32*h*1.01, j as f32*h*0.99, k as f32*h+0.001*(i as f32).sin(), 1.0]); } } }
        xs.push([0.0;4]);
        let id=|i:usize,j:usize,k:usize| ((k*n+j)*n+i) as u32; let q=1.0/h as f64;
        let mut tets=vec![];
        for k in 0..n-1 { for j in 0..n-1 { for i in 0..n-1 {
            tets.push(Loose{index:[id(i,j,k),id(i+1,j,k),id(i,j+1,k),id(i,j,k+1)],rest:[q,0.,0.,0.,q,0.,0.,0.,q,1.,1.,1.],stiffness:[1.0;7],damping:[0.0;7]});
            tets.push(Loose{index:[id(i+1,j+1,k+1),id(i,j+1,k+1),id(i+1,j,k+1),id(i+1,j+1,k)],rest:[-q,0.,0.,0.,-q,0.,0.,0.,-q,1.,1.,1.],stiffness:[1.0;7],damping:[0.0;7]});
        }}}
        go::<TetStrain<Improved>,4,3,12,7>("tet",&tets,&xs);
    }
}
