// The package in browsers and their bundlers, which follow the address of the module.
import init from "./doisift_wasm.js";

await init({ module_or_path: new URL("./doisift_wasm_bg.wasm", import.meta.url) });

export * from "./api.js";
