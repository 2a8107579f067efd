/** Why a request was rejected, and what to do. */
import { Anchor } from "@mantine/core";
import { type DataOf, declarationOf } from "../../api/declarations.ts";
import { basePath } from "../../api/place.ts";
import { Note } from "../../feedback/empty.tsx";
import { choiceText, requestProblemText, texts } from "../../texts/index.ts";
import { errors, scopes } from "./partners.ts";

type Rejected = DataOf<"/op/requests/list">;

const t = texts.requests;
const meanings = declarationOf("/op/integrations/create").input.scopes?.items?.meanings ?? {};

export function Problem({ request }: { readonly request: Rejected }) {
  const { error_code, reason, field_errors } = request;
  // It succeeded, and is listed because it came so late.
  if (error_code === null) return <div className="is-long">{t.lateReplay}</div>;
  const guide = `${basePath}/docs/guides/errors#${error_code}`;
  return (
    <div className="is-long">
      <div>
        {errors[error_code]?.message}
        {reason !== null && ` ${t.reason(choiceText(reason).toLowerCase())}`}
      </div>
      {field_errors.map((problem) => (
        <div key={`${problem.field} ${problem.code}`}>{requestProblemText(problem)}</div>
      ))}
      <Note>{adviceOn(error_code, request.operation)}</Note>
      {/* The code leads to its meaning. */}
      <Anchor href={guide} target="_blank" rel="noopener" size="sm" className="wraps">
        {error_code}
      </Anchor>
    </div>
  );
}

/** What to do: what the manager can do in the console, or else what the partner can do. */
function adviceOn(error_code: string, operation: string | null): string | undefined {
  const scope = scopes[operation ?? ""] ?? "";
  const own = t.advice as Readonly<Record<string, ((scope: string, meaning: string) => string) | undefined>>;
  return own[error_code]?.(scope, meanings[scope] ?? "") ?? errors[error_code]?.remedy;
}
