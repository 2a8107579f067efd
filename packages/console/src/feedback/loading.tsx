import { Center, Loader, type StyleProp, Text } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { texts } from "../texts/en.ts";

/**
 * It appears only after a moment, so that fast pages don't flicker.
 * @param height what is loaded will have this height, so that what follows does not move
 */
export function Loading({ height }: { readonly height?: StyleProp<string> | undefined }) {
  const status = { role: "status", "aria-label": texts.loading };
  return (
    <Center py="xl" mih={height} className="appears-late" {...status}>
      <Loader />
    </Center>
  );
}

/** What a list shows that has no items. */
export const Empty = Text.withProps({ c: "dimmed", py: "sm" });

/** What explains something, in smaller type. */
export const Note = Text.withProps({ size: "sm", c: "dimmed" });

const closeButtonProps = { "aria-label": texts.close };

export function notify(message: string): void {
  notifications.show({ message, color: "teal", withBorder: true, autoClose: 8000, closeButtonProps });
}

export function NoticeCorner() {
  return <Notifications limit={3} zIndex={500} role="status" aria-live="polite" />;
}
