/** The build makes a file of the styles. */
declare module "*.css";
