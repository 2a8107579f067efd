/** Where the service is, and the nonce of styles. The page of the response has both. */
const root = document.getElementById("root") as HTMLElement;

/** Such as /api. */
export const basePath = root.dataset.basePath ?? "";
export const styleNonce = root.dataset.styleNonce ?? "";

/** The base address of the API. */
export const home = location.origin + basePath;
