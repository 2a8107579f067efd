import { Center, Loader, type StyleProp } from "@mantine/core";
import { texts } from "../texts/en.ts";

/**
 * It appears only after a moment, so that fast pages don't flicker.
 * @param height what is loaded will have this height, so that what follows does not move
 */
export function Loading({ height }: { readonly height?: StyleProp<string> | undefined }) {
  return (
    <Center py="xl" mih={height} className="appears-late" role="status" aria-label={texts.loading}>
      <Loader />
    </Center>
  );
}
