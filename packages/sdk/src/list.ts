/** Paginated lists: one page of them, or every item. */
import type { ApiResponse } from "./attempt.ts";
import type { Pagination } from "./generated/types.ts";

/** What every paginated list takes. */
interface PageFields {
  readonly page?: number | undefined;
  readonly per_page?: number | undefined;
  readonly after?: string | undefined;
}

/** How a list is to be asked for. */
export interface ListSource<Item> {
  readonly request: PageFields;
  /** How many items a page holds at most. */
  readonly largestPage: number;
  load(request: object): Promise<ApiResponse<readonly Item[]>>;
}

/** One page of a list. */
export class Page<Item> {
  readonly data: readonly Item[];
  /** The place of the page in its list. Undefined for a page that another one led to, or that `after` names. */
  readonly pagination: Pagination | undefined;
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** Where the list continues; null at its end. Send it as `after`. */
  readonly after: string | null;
  readonly #load: (after: string) => Promise<Page<Item>>;

  constructor(response: ApiResponse<readonly Item[]>, load: (after: string) => Promise<Page<Item>>) {
    this.data = response.data;
    this.pagination = response.meta.pagination as Pagination | undefined;
    this.requestId = response.requestId;
    this.after = response.meta.next as string | null;
    this.#load = load;
  }

  get hasNext(): boolean {
    return this.after !== null;
  }

  /** The items after those of this page, or undefined at the end of the list. Items that were added meanwhile repeat none. */
  async next(): Promise<Page<Item> | undefined> {
    return this.after === null ? undefined : this.#load(this.after);
  }
}

/**
 * A list that was asked for. Nothing is sent before it is awaited, which brings one page, or iterated with
 * `for await`, which brings every item from that page on, each once, however many come in meanwhile.
 */
export class List<Item> implements Promise<Page<Item>>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = "List";
  readonly #source: ListSource<Item>;

  constructor(source: ListSource<Item>) {
    this.#source = source;
  }

  /** One page: the first, or the one that the request names. */
  page(): Promise<Page<Item>> {
    return this.#load(this.#source.request);
  }

  async #load(request: PageFields): Promise<Page<Item>> {
    const { page: _, ...rest } = request;
    return new Page(await this.#source.load(request), (after) => this.#load({ ...rest, after }));
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list brings a page of it
  then<Fulfilled = Page<Item>, Rejected = never>(
    onFulfilled?: ((page: Page<Item>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.page().then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page<Item> | Rejected> {
    return this.page().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<Item>> {
    return this.page().finally(onFinally);
  }

  /** Every item, in the order of the list. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    const { request, largestPage } = this.#source;
    let page: Page<Item> | undefined = await this.#load({ per_page: largestPage, ...request });
    for (; page !== undefined; page = await page.next()) yield* page.data;
  }
}
