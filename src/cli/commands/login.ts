/** `loyalty login`, `logout` and `whoami`: the operator as whom commands run. */
import type { Command } from "commander";
import { acceptInvitationOperation } from "../../operations/operator/operators/accept.ts";
import { getInvitation } from "../../operations/operator/operators/get-invitation.ts";
import { createSession } from "../../operations/operator/session/create.ts";
import { deleteSession } from "../../operations/operator/session/delete.ts";
import { getSession } from "../../operations/operator/session/get.ts";
import { type Context, type GlobalOptions, type Options, ServiceCommand } from "../command.ts";
import { showResponse } from "../operations/responses.ts";
import { createClient, type OperatorClient } from "../service/client.ts";
import {
  type Address,
  allowPlainHttp,
  findAddress,
  rejectCell,
  urlInsteadOfCell,
} from "../service/connection.ts";
import { findLogin, keepLogin, loginFile } from "../service/logins.ts";
import { CliError, exitCodes, usageError } from "../terminal/cli-error.ts";
import { ask, askSecret } from "../terminal/terminal.ts";

export function loginCommand(): Command {
  return new ServiceCommand("login")
    .summary("Sign in, for the commands that follow")
    .description(
      "Signs you in with the name and the password of your account, and keeps the session in a file that only you can read. The " +
        "session is valid for 7 days, and ends after 12 hours without a command. With an invitation, you set your password. " +
        "With --with-key, the command keeps an operator key instead. LOYALTY_OPERATOR_KEY takes precedence over the file. " +
        "Without a terminal, the password or key is read from standard input.",
    )
    .argument("[name]", "The name of your account.")
    .option("--invitation <link>", "The link or the token of an invitation.")
    .option("--with-key", "Keep an operator key.")
    .examples(
      "loyalty login anna",
      "loyalty login --invitation https://loyalty.example/api/console/accept#token=…",
    )
    .act(logIn);
}

async function logIn(context: Context, options: Options & GlobalOptions, [name]: readonly string[]) {
  rejectCell(options, urlInsteadOfCell);
  const address = await findAddress(options.url, true);
  allowPlainHttp(options, address, context.fromFile);
  const key =
    options.withKey === true ? await askSecret("Operator key: ") : await signIn(address, options, name);
  const client = clientOf(address, key);
  const { data } = await client.call<{ operator: { name: string; role: string } }>(getSession.path, {});
  await keepLogin(address.baseUrl, key);
  const { operator } = data;
  if (context.json) context.out.line(JSON.stringify(data, null, 2));
  else
    context.out.line(
      context.out.style("green", `Signed in as ${operator.name}, with the role ${operator.role}.`),
    );
  context.err.line(
    `The ${options.withKey === true ? "key" : "session"} is in ${loginFile()}, for ${address.baseUrl}.`,
  );
}

/** @returns the token of a new session */
async function signIn(address: Address, { invitation }: Options, given: string | undefined): Promise<string> {
  const client = clientOf(address, await findLogin(address.baseUrl));
  const request =
    invitation === undefined
      ? {
          path: createSession.path,
          body: { name: given ?? (await ask("Name: ")), password: await askSecret("Password: ") },
        }
      : { path: acceptInvitationOperation.path, body: await invited(client, String(invitation)) };
  const { headers } = await client.call(request.path, request.body);
  const token = /=(loyses_[\w-]+);/.exec(headers.get("set-cookie") ?? "")?.[1];
  if (token === undefined) throw new CliError(exitCodes.failed, "The service returned no session.");
  return token;
}

async function invited(client: OperatorClient, link: string) {
  const token = link.split("#token=").at(-1) as string;
  const { data } = await client.call<{ name: string }>(getInvitation.path, { token });
  const password = await askSecret(`New password for ${data.name}: `);
  if (process.stdin.isTTY && (await askSecret("The same again: ")) !== password)
    throw usageError("The two passwords are different.");
  return { token, password };
}

const clientOf = (address: Address, key = "") =>
  createClient({ ...address, key: { key, from: loginFile() } }, () => undefined);

export function logoutCommand(): Command {
  return new ServiceCommand("logout")
    .summary("Sign out")
    .description(
      "Ends the session of loyalty login, and removes it from its file. A kept operator key stays valid.",
    )
    .examples("loyalty logout")
    .act(async ({ out }, options: Options & GlobalOptions) => {
      rejectCell(options, urlInsteadOfCell);
      const address = await findAddress(options.url, true);
      const key = await findLogin(address.baseUrl);
      if (key === undefined) return out.line(`You are not signed in at ${address.baseUrl}.`);
      await keepLogin(address.baseUrl, undefined);
      // The session may have ended before.
      if (key.startsWith("loyses_"))
        await clientOf(address, key)
          .call(deleteSession.path, {})
          .catch(() => undefined);
      out.line(`Signed out at ${address.baseUrl}.`);
    });
}

export function whoamiCommand(): Command {
  return new ServiceCommand("whoami")
    .summary("Show as whom commands run, and what they may do")
    .description(getSession.description)
    .requires(getSession)
    .examples("loyalty whoami", "loyalty whoami --json")
    .act(async (context) => {
      const client = await context.client();
      showResponse(getSession, context, await client.call(getSession.path, {}), undefined);
      context.err.line(`The key comes from ${client.keyFrom}.`);
    });
}
