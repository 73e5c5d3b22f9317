/** The process a service runs in: the daemon of a data folder, or `reelwright serve`. */
export interface HostProcess {
  readonly version: string
  /** Names this run. */
  readonly instance: string
  /** The API key of this run; `GET /health` proves that the service knows it. */
  readonly key: string
  /** A client asks for room for a newer version: true when the process leaves, false when it has work or stays anyway. */
  readonly exitIfIdle: () => Promise<boolean>
}

/** A service that accepts requests, as its process sees it. */
export interface HostedService {
  readonly port: number
  /** Whether a task is queued or running, or an upload or a download is under way, one in parts within minutes. */
  isBusy(): Promise<boolean>
  /** Whether a request is being answered; an open event socket is none. */
  hasOpenRequests(): boolean
  /** When the latest request came, ms since 1970; `/health` and `/metrics` do not count. */
  lastActivity(): number
  /** Stops accepting, finishes requests, puts running tasks back into the queue, closes the database. */
  close(): Promise<void>
}
