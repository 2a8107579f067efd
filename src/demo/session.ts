import type { DemoFile } from "./file.ts";

/** `data` prints a field of a response, or an error response as a whole; a command that needs the field then stops. */
const helpers = `\
data() { node -e 'const answer = fs.readFileSync(0, "utf8")
  if (/^{"success":true/.test(answer)) console.log(JSON.parse(answer).data[process.argv[1]])
  else { console.error(answer); process.exitCode = 1 }' "$1"; }
base_url=$(demo base_url)
token=$(curl -sS "$base_url/sp/auth/token" -H "Content-Type: application/json" \\
  -d "{\\"client_id\\": \\"$(demo client_id)\\", \\"client_secret\\": \\"$(demo client_secret)\\"}" | data access_token)
post() {
  curl -sS "$base_url$1" -H "Authorization: Bearer \${token:?}" -H "Content-Type: application/json" -d "$2"; echo
}
`;

/**
 * A first session with the demo business, to paste into a shell: a token, a list, a new member, money for the
 * member, the list again. The credentials are read from the file, as what is printed ends up in logs. It has the
 * functions and the keys of the README's quickstart, so that someone who does one and then the other gets the responses
 * that are shown.
 * @param file absolute, so that the session works from every directory
 */
export function demoSession(file: string, { location_ids }: DemoFile): string {
  // In single quotes nothing is special to a shell but the quote itself.
  const path = `'${file.replaceAll("'", "'\\''")}'`;
  return `\
demo() { node -p "require(process.argv[1]).$1" ${path}; }
${helpers}
post /sp/members/list '{"per_page": 3}'
contact_id=$(post /sp/members/create '{
  "idempotency_key": "quickstart-member", "first_name": "Rosa", "last_name": "Lindgren",
  "phone_number": "+12025550199", "email": "rosa@example.com"
}' | data contact_id)
post /sp/wallet/adjust '{
  "idempotency_key": "quickstart-credit", "contact_id": '\${contact_id:?}', "location_id": ${location_ids[0]},
  "amount": 2500, "adjustment_type": "credit", "reason": "Welcome"
}'
post /sp/transactions/list '{"contact_id": '\${contact_id:?}'}'
post /sp/members/list '{"per_page": 3}'
`;
}
