/// The style sheet of the page. `PageHashes` has its digest.
enum PageStyle {
  static let text = """
    :root{color-scheme:light dark;--b:#fff;--t:#1b1b1f;--s:#55555f;--l:#76767f;--c:#f3f3f6;
    --a:#0b57d0;--e:#b3261e;--m:#7a5200}
    @media(prefers-color-scheme:dark){:root{--b:#16161a;--t:#ececf1;--s:#b4b4c0;--l:#8a8a96;
    --c:#212127;--a:#8ab4ff;--e:#ff9d94;--m:#f0c060}}
    *{box-sizing:border-box}
    html{scroll-padding-top:4rem}
    body{margin:0 auto;max-width:52rem;padding:0 1rem 4rem;background:var(--b);color:var(--t);
    font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
    h1{font-size:1.5rem;margin:1rem 0 .5rem}
    h2{font-size:1.2rem;margin:1.5rem 0 .5rem}
    a{color:var(--a)}
    .k{position:absolute;left:-99rem}
    .k:focus{position:static}
    [role=search]{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
    [role=search] input{flex:1;min-width:12rem}
    #n{position:sticky;top:0;background:var(--b);padding:.5rem 0;margin:0;z-index:1;display:flex;
    gap:1rem;align-items:center;min-height:3.5rem}
    #n p{margin:0}
    section>div{border-left:.25rem solid transparent;padding:.5rem .75rem;margin:.25rem 0;
    border-radius:.25rem;content-visibility:auto;contain-intrinsic-size:auto 7rem}
    section>div:focus-within{background:var(--c)}
    .c{border-left-color:var(--a)!important}
    .m{border-left-color:var(--m)!important}
    .i{border-left-color:var(--e)!important}
    label,b{font-weight:600}
    code{color:var(--s);font-size:.875rem}
    section p{margin:0}
    small,samp{color:var(--s);font-size:.875rem;white-space:pre-wrap}
    samp{display:block;color:var(--t);font-size:1rem}
    section small{display:inline-block;margin-right:.75rem}
    strong{color:var(--e)}
    input,select,textarea,button{font:inherit;color:inherit;background:var(--b);
    border:1px solid var(--l);border-radius:.25rem;padding:.25rem .5rem;min-height:2.25rem;
    max-width:100%}
    section input,section select,textarea{display:block;margin:.25rem 0;width:24rem}
    textarea{width:100%;font-family:ui-monospace,monospace}
    [type=number]{width:12rem!important}
    [type=checkbox]{width:1.5rem!important;height:1.5rem;min-height:0;accent-color:var(--a)}
    [aria-invalid]{border:2px solid var(--e)}
    button{cursor:pointer;background:var(--c)}
    section button{min-height:1.75rem;padding:0 .5rem;font-size:.875rem}
    :focus-visible{outline:3px solid var(--a);outline-offset:2px}
    #e{border:2px solid var(--e);border-radius:.25rem;padding:.5rem 1rem}
    [hidden]{display:none!important}
    .live:not(:has([aria-invalid])) #n button{display:none}
    """
}
