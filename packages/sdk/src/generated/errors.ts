export type ErrorCode = "unauthorized";
