#![allow(missing_docs)]
#[path = "../tests/common/mod.rs"] mod common;
use taut::*; use taut::measure::*;
fn main(){
    let form = |p:bool| if p {StrainForm::Plain} else {StrainForm::Improved};
    for n in [32usize,43,101,317] { for (sub,it) in [(1,20),(20,1)] { for plain in [false,true] {
        if n==317 && plain {continue}
        let mesh=common::sheet(n); let mut b=ModelBuilder::new();
        let cloth=Cloth{form:form(plain), ..Cloth::default()};
        b.add_cloth("s",&mesh,&cloth).unwrap(); let m=b.build::<f32>().unwrap();
        let mut s=State::new(&m); s.pin(&m,0); s.pin(&m,(n-1) as u32);
        let mut sc=Scratch::new(1); let p=Params{substeps:sub,iterations:it,..Params::default()};
        let t=std::time::Instant::now(); let mut peak=0f64; let mut low=0f64; let mut cont=0;
        for _ in 0..120 { let r=step(&m,&mut s,&mut sc,&p,1.0/60.0); cont+=r.contained; 
            let st=strains(&m,&s).cloth(); peak=peak.max(st[0].max).max(st[1].max); low=s.positions(&m).iter().fold(low,|l,p|l.min(p[1])); }
        let st=strains(&m,&s).cloth();
        println!("n {n} {sub}x{it} plain {plain}: {:.0} ms/frame peak {:.1}% end weft max {:.2} mean {:.4} warp max {:.2} mean {:.4} shear mean {:.3} low {low:.2} contained {cont}", t.elapsed().as_secs_f64()/0.12, peak*100.0, st[0].max,st[0].mean,st[1].max,st[1].mean,st[2].mean);
    }}}
}
