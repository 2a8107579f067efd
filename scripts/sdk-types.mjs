/** The types of what the operations take and return, as TypeScript, from their schemas. */

/**
 * An operation as far as the client needs it.
 * @typedef {object} Method
 * @property {string} path
 * @property {string[]} resource where its method lies: ["members", "profile"]
 * @property {string} name of the method
 * @property {string} type what the names of its types begin with
 * @property {import("../src/contract/operation.ts").Operation} operation
 * @property {Schema} body
 */

/**
 * A JSON Schema, as far as declarations use it.
 * @typedef {object} Schema
 * @property {string} [type]
 * @property {string} [description]
 * @property {unknown} [const]
 * @property {unknown[]} [enum]
 * @property {Schema[]} [anyOf]
 * @property {Schema} [items]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {number} [maximum]
 */

/**
 * All types of the client.
 * @param {Method[]} methods
 * @param {Schema} pagination
 */
export function types(methods, pagination) {
  const declared = methods.flatMap((method) => {
    const { type, operation, body } = method;
    const output = /** @type {Schema} */ (operation.output);
    const called = `\`${operation.path}\``;
    return [
      ...(takesBody(method)
        ? [declaration(`${type}Request`, `What ${called} takes.`, requestSchema(body))]
        : []),
      output.type === "array"
        ? declaration(`${type}Item`, `One of the items that ${called} returns.`, output.items ?? {})
        : declaration(
            `${type}${operation.kind === "list" ? "Item" : "Data"}`,
            `What ${called} returns${operation.kind === "list" ? ", for each item" : ""}.`,
            output,
          ),
    ];
  });
  return [declaration("Pagination", "Where a page lies in its list.", pagination), ...declared].join("");
}

/**
 * The types of events.
 * @param {{ type: string, description: string, data: Schema }[]} schemas
 * @param {Schema} common
 */
export function events(schemas, common) {
  const isOwn = (/** @type {string} */ name) => name === "contact_id" || !(name in (common.properties ?? {}));
  const ofTypes = schemas.map(({ type, description, data: { properties = {}, ...data } }) => {
    const own = Object.fromEntries(Object.entries(properties).filter(([name]) => isOwn(name)));
    return `/** ${description} */\nreadonly ${JSON.stringify(type)}: ${typeOf({ ...data, properties: own })};`;
  });
  return `${declaration("CommonEventData", "What the data of all events has.", common)}
/** What the data of events has besides, by their type. */
export interface EventData {\n${ofTypes.join("\n")}\n}

/** The types of events that this version knows. */
export type EventType = keyof EventData;

/** What happened to members or balances, as webhooks and \`/sp/events/list\` have it. */
export type LoyaltyEvent = {
  readonly [Type in EventType]: {
    /** What happened. */
    readonly type: Type;
    /** When it happened, on the clock of the business. In UTC, as in RFC 3339. */
    readonly timestamp: string;
    readonly data: CommonEventData & EventData[Type];
  };
}[EventType];
`;
}

/** The key may be left to the client. @param {Schema} body @returns {Schema} */
export function requestSchema(body) {
  const { idempotency_key, ...own } = body.properties ?? {};
  if (idempotency_key === undefined) return body;
  const description = `${idempotency_key.description} One is made when there is none.`;
  return {
    ...body,
    properties: { ...own, idempotency_key: { ...idempotency_key, description } },
    required: body.required?.filter((name) => name !== "idempotency_key") ?? [],
  };
}

/** @param {string} name @param {string} description @param {Schema} schema */
function declaration(name, description, schema) {
  return `\n/** ${description} */\nexport interface ${name} ${typeOf(schema)}\n`;
}

/** @param {Schema} schema @returns {string} */
export function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.type === "array") return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.type === "integer") return "number";
  if (schema.type !== "object") return /** @type {string} */ (schema.type);
  if (Object.keys(schema.properties ?? {}).length === 0) return "Record<string, never>";
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const comment = field.description === undefined ? "" : `/** ${field.description} */\n`;
    return required.has(name)
      ? `${comment}readonly ${name}: ${typeOf(field)};`
      : `${comment}readonly ${name}?: ${typeOf(field)} | undefined;`;
  });
  return `{\n${fields.join("\n")}\n}`;
}

/** Whether an operation takes any field. @param {Method} method */
export function takesBody({ body }) {
  return Object.keys(body.properties ?? {}).length > 0;
}

/** The name of the type that an operation returns, or of one item of it. @param {Method} method */
export function dataType({ type, operation }) {
  const items = operation.kind === "list" || operation.output.type === "array";
  return `${type}${items ? "Item" : "Data"}`;
}
