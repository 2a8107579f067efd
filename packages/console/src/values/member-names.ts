/** The names of members that a page knows by their numbers. Those that it shows together are read together. */
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { useBusiness } from "../business.tsx";

const path = "/op/members/names";
const mostAtOnce = 100;
const freshMilliseconds = 60_000;

type Batch = Readonly<{ contactIds: Set<number>; names: Promise<ReadonlyMap<number, string>> }>;

/** The batches that wait to be read, by business. */
const waiting = new Map<number, Batch>();

function newBatch(business_id: number): Batch {
  const contactIds = new Set<number>();
  const read = async () => {
    // All members of a page ask before this goes on.
    await new Promise((resolve) => setTimeout(resolve));
    if (waiting.get(business_id)?.contactIds === contactIds) waiting.delete(business_id);
    const { data } = await call(path, { business_id, contact_ids: [...contactIds] });
    return new Map(data.members.map((one) => [one.contact_id, `${one.first_name} ${one.last_name}`.trim()]));
  };
  return { contactIds, names: read() };
}

async function readName(business_id: number, contactId: number): Promise<string | null> {
  const last = waiting.get(business_id);
  const batch = last && last.contactIds.size < mostAtOnce ? last : newBatch(business_id);
  waiting.set(business_id, batch);
  batch.contactIds.add(contactId);
  return (await batch.names).get(contactId) ?? null;
}

/** The query for a name: null for a member that does not exist. */
export const nameQuery = (business_id: number, contactId: number) => ({
  queryKey: [path, business_id, contactId],
  queryFn: () => readName(business_id, contactId),
  staleTime: freshMilliseconds,
});

/** @returns undefined while it is read */
export function useMemberName(contactId: number): string | null | undefined {
  const enabled = contactId > 0;
  const { data, isPending } = useQuery({ ...nameQuery(useBusiness().business_id, contactId), enabled });
  return isPending ? undefined : (data ?? null);
}
