/** Gives the person a file. */
export function download(name: string, type: string, content: BlobPart | BlobPart[]): void {
  const url = URL.createObjectURL(new Blob([content].flat() as BlobPart[], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
