// The package where the module comes from elsewhere: call `load` before anything else.
import { initSync } from "./doisift_wasm.js";

export * from "./api.js";

/** Loads the module from its bytes, or one that is compiled. Where it is called again, nothing happens. */
export function load(module: BufferSource | WebAssembly.Module): void {
  initSync({ module });
}
