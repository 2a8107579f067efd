/** The reference of the entries that a merge makes: it names both members. */

export const mergeReference = (from: number, to: number) => `merge-${from}-${to}`;

/** The other member of an entry that a merge made. It has neither a location nor a sale. */
export function mergedWith(entry: Readonly<Record<string, unknown>>): number | undefined {
  const { reference_id, contact_id, location_id, sale_id } = entry;
  const [, ...both] = /^merge-(\d+)-(\d+)$/.exec(String(reference_id)) ?? [];
  const [from, to] = both.map(Number);
  if (location_id !== null || sale_id !== null) return undefined;
  return contact_id === from ? to : contact_id === to ? from : undefined;
}
