type Entry = Readonly<Record<string, unknown>>;

/** The other member of an entry that a merge made. Its reference names both, and it has neither a location nor a sale. */
export function mergedWith({ reference_id, contact_id, location_id, sale_id }: Entry): number | undefined {
  const [, ...both] = /^merge-(\d+)-(\d+)$/.exec(String(reference_id)) ?? [];
  const [from, to] = both.map(Number);
  if (location_id !== null || sale_id !== null) return undefined;
  return contact_id === from ? to : contact_id === to ? from : undefined;
}
