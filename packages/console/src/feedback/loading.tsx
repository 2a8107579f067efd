import { Box, Button, Skeleton, Stack, type StyleProp, Text } from "@mantine/core";
import { failureText, texts } from "../texts/index.ts";
import { lazyPart } from "./lazy-part.tsx";

/**
 * It appears only after a moment, so that fast pages don't flicker.
 * @param height what is loaded will have this height, so that what follows does not move
 */
export function Loading({ height }: { readonly height?: StyleProp<string> | undefined }) {
  return (
    <Box py="md" mih={height} className="appears-late" role="status" aria-label={texts.loading}>
      {["30%", "100%", "90%", "75%"].map((width) => (
        <Skeleton key={width} w={width} h={16} mb="md" />
      ))}
    </Box>
  );
}

/** What a list shows that has no items. */
export const Empty = Stack.withProps({
  ...{ align: "center", ta: "center", c: "dimmed", fz: "sm", p: "lg", my: "sm" },
  ...{ bd: "1px dashed var(--mantine-color-default-border)", bdrs: "md" },
});

/** What explains something, in smaller type. */
export const Note = Text.withProps({ size: "sm", c: "dimmed" });

/** A button that is not the main one of its place. */
export const PlainButton = Button.withProps({ variant: "default" });

const notices = () => import("./notices.tsx");

export const NoticeCorner = lazyPart(async () => (await notices()).NoticeCorner);

export const notify = (message: string) => void notices().then(({ show }) => show(message));

export const notifyFailure = (error: Error) => notify(failureText(error));

/** A notice can cover the buttons of a form that is opened after it. */
export const clearNotices = () => void notices().then(({ clear }) => clear());
