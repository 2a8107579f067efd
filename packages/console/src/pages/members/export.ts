/** All that the service stores about a member, as a file. */
import { call } from "../../api/client.ts";
import type { DataOf } from "../../api/declarations.ts";
import { download } from "../../files/download.ts";

export async function exportMember(business_id: number, contact_id: number): Promise<void> {
  const pages: object[] = [];
  let after: number | null = 0;
  do {
    const page: DataOf<"/op/members/export"> = await readPage(business_id, contact_id, after);
    pages.push(page);
    after = page.next_after_entry_no;
  } while (after !== null);
  download(`member-${contact_id}.json`, "application/json", JSON.stringify(pages, null, 2));
}

async function readPage(business_id: number, contact_id: number, after: number) {
  const request = { business_id, contact_id, ...(after > 0 && { after_entry_no: after }) };
  return (await call("/op/members/export", request)).data;
}
