import { Center, Loader } from "@mantine/core";
import { texts } from "../texts/en.ts";

/** It appears only after a moment, so that fast pages don't flicker. */
export function Loading() {
  return (
    <Center py="xl" className="appears-late" role="status" aria-label={texts.loading}>
      <Loader />
    </Center>
  );
}
