import type { DemoFile } from "./file.ts";

/**
 * A first session with the demo business, to paste into a shell: a token, a list, a new member, money for the
 * member, the list again. The credentials are read from the file, as what is printed ends up in logs.
 * @param file absolute, so that the session works from every directory
 */
export function demoSession(file: string, { base_url, location_ids }: DemoFile): string {
  // In single quotes nothing is special to a shell but the quote itself.
  const path = `'${file.replaceAll("'", "'\\''")}'`;
  return `\
demo() { node -p 'require(process.argv[1])[process.argv[2]]' ${path} "$1"; }
data() { node -p 'JSON.parse(fs.readFileSync(0)).data[process.argv[1]]' "$1"; }
token=$(curl -sS ${base_url}/sp/auth/token -H 'Content-Type: application/json' \\
  -d "{\\"client_id\\": \\"$(demo client_id)\\", \\"client_secret\\": \\"$(demo client_secret)\\"}" | data access_token)
post() { curl -sS "${base_url}$1" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$2"; echo; }

post /sp/members/list '{"per_page": 3}'
contact_id=$(post /sp/members/create '{"idempotency_key": "first-member", "first_name": "Rosa",
  "last_name": "Lindgren", "phone_number": "+12025550199"}' | data contact_id)
post /sp/wallet/adjust '{"idempotency_key": "first-credit", "contact_id": '$contact_id',
  "location_id": ${location_ids[0]}, "amount": 2500, "adjustment_type": "credit"}'
post /sp/transactions/list '{"contact_id": '$contact_id'}'
post /sp/members/list '{"per_page": 3}'
`;
}
