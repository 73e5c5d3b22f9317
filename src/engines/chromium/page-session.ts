import type { Browser } from './browser.ts'
import { ProtocolError, type AnswerOf, type CdpPipe, type Method, type Parameters } from './cdp-pipe.ts'

/** A new page of a browser, driven by the debugging protocol. */
export class PageSession {
  readonly #browser: Browser
  readonly #id: string

  private constructor(browser: Browser, id: string) {
    this.#browser = browser
    this.#id = id
  }

  /** Opens an empty page; one by begin-frame draws only when it is told. */
  static async open(
    browser: Browser,
    { width, height, beginFrame }: { width: number; height: number; beginFrame: boolean },
  ): Promise<PageSession> {
    const { targetId } = await browser.call('Target.createTarget', {
      url: 'about:blank',
      // Whole browsers give only these a size.
      newWindow: true,
      width,
      height,
      ...(beginFrame && { enableBeginFrameControl: true }),
    })
    const { sessionId } = await browser.call('Target.attachToTarget', { targetId, flatten: true })
    return new PageSession(browser, sessionId)
  }

  /** Where the page's events are told. */
  get pipe(): CdpPipe {
    return this.#browser.pipe
  }

  /** Calls a method of the protocol for this page. */
  async call<M extends Method>(method: M, params: Parameters): Promise<AnswerOf<M>> {
    return await this.#browser.call(method, params, { session: this.#id })
  }

  /** Calls a function where `target` tells, and waits for what it promises. Throws `ProtocolError` with what it throws. */
  async callFunction(source: string, given: readonly unknown[], target: Parameters): Promise<unknown> {
    const { result, exceptionDetails } = await this.call('Runtime.callFunctionOn', {
      functionDeclaration: source,
      arguments: given.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: true,
      ...target,
    })
    if (exceptionDetails) {
      throw new ProtocolError(exceptionDetails.exception?.description ?? exceptionDetails.text)
    }
    return result.value
  }
}
