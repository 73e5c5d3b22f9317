import { startServiceProcess, type ServiceProcess } from '../service/process.ts'

/** A service that is restarted repeatedly, each time on another port. */
export class RestartingService implements AsyncDisposable {
  readonly #dataDir: string
  #current: Promise<ServiceProcess>
  /** Processes that have exited or been signalled. */
  readonly #ending = new WeakSet<ServiceProcess>()

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#current = startServiceProcess(dataDir)
  }

  /** The running process, or the next one. */
  get current(): Promise<ServiceProcess> {
    return this.#current
  }

  /** Whether a failed request to this process is expected. */
  isEnding(service: ServiceProcess): boolean {
    return this.#ending.has(service)
  }

  /** Stops the service by a signal and starts it again. `between` runs while it is stopped. */
  async restart(signal: NodeJS.Signals, between: () => Promise<void> = async () => undefined): Promise<void> {
    // Restarts that are requested meanwhile wait.
    this.#current = this.#current.then(async (old) => {
      this.#ending.add(old)
      await old.kill(signal)
      await between()
      return await startServiceProcess(this.#dataDir)
    })
    await this.#current
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const last = await this.#current
    this.#ending.add(last)
    // After a failure elsewhere, clients that still repeat requests must not do so forever.
    this.#current = Promise.reject(new Error('the simulation has ended'))
    this.#current.catch(() => undefined)
    await last.kill('SIGTERM')
  }
}
