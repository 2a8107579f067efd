/** How the methods of the client call their operations. */
import type { ApiResponse } from "./attempt.ts";
import { List } from "./list.ts";
import { checkedInput } from "./settings.ts";
import type { CallOptions, RequestOptions, Transport } from "./transport.ts";

/** A call under way: awaiting it brings the data of the response. */
export interface Call<Data> extends Promise<Data> {
  /** The whole response: request id, headers, and whether a write was replayed. */
  withResponse(): Promise<ApiResponse<Data>>;
}

/** What every result of a write has besides its data. */
export interface Written {
  /**
   * Whether this is the response to an earlier request with the same key and body, and nothing was recorded now. After a retry, also one
   * of your own, that is right. Otherwise the key is that of another sale, and this sale is not recorded: see `saleKey`.
   */
  readonly replayed: boolean;
  /** How often the client had to send the request again. A write that is replayed with 0 retries was sent before this call. */
  readonly retries: number;
}

export class Caller {
  readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Calls an operation. */
  call<Data>(path: string, request: object, options?: RequestOptions): Call<Data> {
    return this.callOf(this.transport.request<Data>(path, request, options));
  }

  /** Makes a call of its response. */
  callOf<Data>(response: Promise<ApiResponse<Data>>): Call<Data> {
    const data = response.then(({ data }) => data);
    return Object.assign(data, {
      withResponse: () => {
        // The failure of the response is reported where the response is awaited; the data's is the same.
        data.catch(() => undefined);
        return response;
      },
    });
  }

  /** Calls an operation that writes. */
  write<Data extends object>(path: string, request: object, options?: CallOptions): Call<Data & Written> {
    return this.callOf(
      this.transport.request<Data>(path, request, { ...options, write: true }).then(written),
    );
  }

  /** Makes a paginated list. @param largestPage how many items a page holds at most */
  list<Item>(
    path: string,
    request: object,
    options: CallOptions | undefined,
    largestPage: number,
  ): List<Item> {
    checkedInput(path, request);
    const load = (page: object) => this.transport.request<readonly Item[]>(path, page, options);
    return new List({ request, largestPage, load });
  }
}

/** Adds to the data whether they are those of an earlier request, of this call or of one before it. */
export function written<Data extends object>(response: ApiResponse<Data>): ApiResponse<Data & Written> {
  const { data, replayed, retries } = response;
  return { ...response, data: { ...data, replayed, retries } };
}
