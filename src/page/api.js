/**
 * @import { Capabilities } from '../contract/catalog.ts'
 * @import { FileList } from '../contract/file.ts'
 * @import { MaterialList } from '../contract/library-routes.ts'
 * @import { InspectedFile } from '../contract/file-routes.ts'
 * @import { LedgerPage } from '../contract/catalog.ts'
 * @import { AnswersReport, QuestionAnswers, QuestionList } from '../contract/questions.ts'
 * @import { TaskList, TaskRecord, TaskSubject } from '../contract/task.ts'
 */

/** How long a file link is valid, s: longer than anybody watches one file. */
const linkSeconds = 12 * 3600

/** An error response of the service, or no response. */
export class Failure extends Error {
  /** @param {{ code?: number, msg: string, hint?: string }} error */
  constructor({ code, msg, hint }) {
    super(msg)
    this.code = code
    this.hint = hint
  }
}

/**
 * Resolves a path of the contract against the address of this page.
 *
 * @param {string} where
 */
export function addressOf(where) {
  return new URL(`.${where}`, document.baseURI)
}

/**
 * Template tag for paths: percent-encodes the values.
 *
 * @param {TemplateStringsArray} strings
 * @param {...string} values
 */
function path(strings, ...values) {
  return String.raw({ raw: strings }, ...values.map(encodeURIComponent))
}

/**
 * Sends a request and returns the data of its envelope. Throws a Failure for every error.
 *
 * @param {string} method
 * @param {string} where
 * @param {{ key?: string, query?: Readonly<Record<string, string | number | undefined>>, body?: object }} [request]
 * @returns {Promise<any>} the methods below declare its type
 */
async function send(method, where, { key, query = {}, body } = {}) {
  const address = addressOf(where)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value))
  }
  /** @type {Record<string, string>} */
  const headers = {}
  if (key !== undefined) headers['authorization'] = key
  if (body) headers['content-type'] = 'application/json'
  try {
    const response = await fetch(address, {
      ...{ method, headers, cache: 'no-store', redirect: 'error' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { code, data, msg, message = msg, hint } = await response.json()
    if (response.ok) return data
    throw new Failure({ code, msg: message, hint })
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure({
      msg: 'The service does not respond.',
      hint: 'A local service exits when idle. Run `reelwright page` again.',
    })
  }
}

/**
 * Exchanges the single-use ticket from the address that `reelwright page` printed for the API key.
 *
 * @param {string} ticket
 * @returns {Promise<string>}
 */
export async function redeem(ticket) {
  return (await send('POST', '/page/login', { body: { ticket } })).api_key
}

/** API client of this page for one key. */
export class Api {
  #key
  #refused

  /**
   * @param {string} key
   * @param {(failure: Failure) => void} refused called when the service rejects the key
   */
  constructor(key, refused) {
    this.#key = key
    this.#refused = refused
  }

  /**
   * @param {string} method
   * @param {string} where
   * @param {Parameters<typeof send>[2]} [request]
   */
  async #call(method, where, request) {
    try {
      return await send(method, where, { ...request, key: this.#key })
    } catch (error) {
      if (error instanceof Failure && error.code === 6502) this.#refused(error)
      throw error
    }
  }

  /** @returns {Promise<Capabilities>} */
  capabilities() {
    return this.#call('GET', '/base/capabilities')
  }

  /**
   * @param {{ page: number, status?: string | undefined }} query
   * @returns {Promise<TaskList>}
   */
  tasks(query) {
    return this.#call('GET', '/task/list', { query })
  }

  /**
   * Returns what tasks work on, by their ids.
   *
   * @param {readonly string[]} ids
   * @returns {Promise<readonly TaskSubject[]>}
   */
  async subjects(ids) {
    return (await this.#call('GET', '/task/subjects', { query: { ids: ids.join(',') } })).list
  }

  /**
   * @param {string} type
   * @param {string} id
   * @returns {Promise<TaskRecord>}
   */
  task(type, id) {
    return this.#call('GET', path`/task/${type}/${id}`)
  }

  /** @param {string} id */
  cancel(id) {
    return this.#call('POST', path`/task/${id}/cancel`)
  }

  /** @param {string} id */
  stop(id) {
    return this.#call('POST', path`/task/${id}/stop`)
  }

  /**
   * @param {string} id
   * @returns {Promise<QuestionList>}
   */
  questions(id) {
    return this.#call('GET', path`/task/${id}/questions`)
  }

  /**
   * @param {string} id
   * @param {QuestionAnswers} answers
   * @returns {Promise<AnswersReport>}
   */
  answer(id, answers) {
    return this.#call('POST', path`/task/${id}/answers`, { body: { answers } })
  }

  /**
   * Returns an image of a question; undefined if it cannot be read.
   *
   * @param {string} where
   * @returns {Promise<ImageBitmap | undefined>}
   */
  async image(where) {
    try {
      const response = await fetch(addressOf(where), {
        headers: { authorization: this.#key },
        ...{ cache: 'no-store', redirect: 'error' },
      })
      return response.ok ? await createImageBitmap(await response.blob()) : undefined
    } catch {
      return undefined
    }
  }

  /** @returns {Promise<string>} */
  async eventTicket() {
    return (await this.#call('POST', '/task/events/ticket')).ticket
  }

  /**
   * @param {{ page?: number, task_id?: string }} query
   * @returns {Promise<LedgerPage>}
   */
  ledger(query) {
    return this.#call('GET', '/base/ledger', { query })
  }

  /**
   * @param {{ page?: number, scope?: string | undefined, words?: string | undefined }} query
   * @returns {Promise<MaterialList>}
   */
  materials(query) {
    return this.#call('GET', '/library/materials', { query })
  }

  /**
   * @param {{ page?: number, task_id?: string, page_size?: number }} query
   * @returns {Promise<FileList>}
   */
  files(query) {
    return this.#call('GET', '/base/file/list', { query })
  }

  /**
   * @param {string} id
   * @returns {Promise<InspectedFile>}
   */
  inspect(id) {
    return this.#call('GET', path`/base/file/${id}/facts`)
  }

  /** @param {string} id */
  deleteFile(id) {
    return this.#call('DELETE', path`/base/file/${id}`)
  }

  /**
   * Returns a URL that opens a file without the key.
   *
   * @param {string} id
   */
  async link(id) {
    const { url } = await this.#call('POST', path`/base/file/${id}/link`, {
      body: { expires_in: linkSeconds },
    })
    return addressOf(url).href
  }
}
