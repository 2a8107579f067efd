/** It comes without types. */
declare module "jsbarcode/bin/barcodes/CODE128/index.js" {
  export class CODE128 {
    constructor(text: string, options: object);
    /** "1" for a dark module, and "0" for a light one. */
    encode(): { readonly data: string };
  }
}
