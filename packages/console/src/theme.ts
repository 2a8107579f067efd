/** Colours with enough contrast in light and dark, and a visible focus. */
import { createTheme } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: "sm",
  focusRing: "auto",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Its labels change their colour slowly, also for people who want less motion.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    // The menu of a screen reader has only items. A menu outside of the page's parts is in no landmark.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, withinPortal: false } },
  },
});
