/** Who is signed in, and the dialog that asks for the password when the service requires it. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { Rejection, type SignInReason, send, whenSignInIsNeeded } from "../api/client.ts";
import type { Path } from "../api/declarations.ts";
import { queryClient } from "../api/queries.ts";
import { FailureAlert, failureText } from "../feedback/failure.tsx";
import { Loading } from "../feedback/loading.tsx";
import { notify } from "../feedback/notices.tsx";
import { mayUse, type Operator, readSession, type SessionData } from "./operator.ts";
import { PasswordDialog } from "./password-dialogs.tsx";
import { SignIn } from "./sign-in.tsx";

interface Session {
  readonly operator: Operator;
  /** Whether the role may use an operation. */
  readonly may: (path: Path) => boolean;
  readonly signOut: () => Promise<void>;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("There is no session.");
  return session;
}

interface Question {
  readonly reason: SignInReason;
  readonly answer: (signedIn: boolean) => void;
}

/** Shows its children to a person who is signed in, and the sign-in page to others. The address stays. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<SessionData | "none" | "loading" | Error>("loading");
  const load = () => {
    readSession().then(setState, (error: unknown) => {
      const isRejected = error instanceof Rejection && error.status === 401;
      setState(isRejected ? "none" : (error as Error));
    });
  };
  useEffect(load, []);
  if (state === "loading") return <Loading />;
  if (state instanceof Error) return <FailureAlert error={state} onRetry={load} />;
  if (state === "none") return <SignIn onSignedIn={setState} />;
  const leave = () => {
    queryClient.clear();
    setState("none");
  };
  return (
    <SignedIn operator={state.operator} onLeave={leave}>
      {children}
    </SignedIn>
  );
}

interface SignedInProps {
  readonly operator: Operator;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}

function SignedIn({ operator, onLeave, children }: SignedInProps) {
  const [question, setQuestion] = useState<Question>();
  useEffect(() => {
    // Requests that fail together ask once.
    let asking: Promise<boolean> | undefined;
    whenSignInIsNeeded((reason) => {
      asking ??= new Promise<boolean>((resolve) => setQuestion({ reason, answer: resolve })).finally(() => {
        asking = undefined;
        setQuestion(undefined);
      });
      return asking;
    });
  }, []);
  const session = useMemo(
    (): Session => ({
      operator,
      may: (path) => mayUse(operator, path),
      async signOut() {
        try {
          await send("/op/session/delete", {});
        } catch (error) {
          // A session that has ended needs no end.
          if (!(error instanceof Rejection && error.status === 401))
            return notify(failureText(error as Error));
        }
        onLeave();
      },
    }),
    [operator, onLeave],
  );
  const signedIn = (data: SessionData) => {
    // What is on the page, and what waits to be sent, is of another person.
    if (data.operator.operator_id !== operator.operator_id) return location.reload();
    question?.answer(true);
  };
  const cancel = () => {
    question?.answer(false);
    if (question?.reason === "expired") onLeave();
  };
  return (
    <SessionContext.Provider value={session}>
      {children}
      {question && (
        <PasswordDialog
          reason={question.reason}
          name={operator.name}
          onSignedIn={signedIn}
          onCancel={cancel}
        />
      )}
    </SessionContext.Provider>
  );
}
