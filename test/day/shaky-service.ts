import { startProcess, type ServiceProcess } from '../service/process.ts'

/** A service that ends again and again, and comes back at another port. */
export class ShakyService implements AsyncDisposable {
  readonly #dataDir: string
  #current: Promise<ServiceProcess>
  /** Those that were told to end, or ended. */
  readonly #ending = new WeakSet<ServiceProcess>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#current = startProcess(dataDir)
  }

  /** The one that runs, or the next one. */
  get current(): Promise<ServiceProcess> {
    return this.#current
  }

  /** Whether what fails there may fail. */
  isEnding(service: ServiceProcess): boolean {
    return this.#ending.has(service)
  }

  /** Ends it by a signal and starts it again; `between` is done while it is away. */
  async restart(signal: NodeJS.Signals, between: () => Promise<void> = async () => undefined): Promise<void> {
    const old = await this.#current
    this.#ending.add(old)
    this.#current = old
      .kill(signal)
      .then(between)
      .then(() => startProcess(this.#dataDir))
    await this.#current
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const last = await this.#current
    this.#ending.add(last)
    // Whoever still asks, after another one's failure, is not to ask for ever.
    this.#current = Promise.reject(new Error('the day is over'))
    this.#current.catch(() => undefined)
    await last.kill('SIGTERM')
  }
}
