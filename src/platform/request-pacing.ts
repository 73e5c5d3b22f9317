import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { freeMemory } from './streams.ts'

/** Most bytes that Node parses at once. It handles all requests in them, whatever their number, in one turn. */
const pieceBytes = 2048

/** Most pieces of a chunked body in one turn of the event loop: those of one read of a socket. */
const piecesPerTurn = 32

/** Most bytes of one read of a socket. */
const readBytes = 64 * 1024

/** Ends the headers of a request, and a chunked body: a piece ends there, so that it begins one request at most. */
const endMark = Buffer.from('\r\n\r\n')

const noBytes = Buffer.alloc(0)

/**
 * Handles the requests of each connection one after another: while a response is not completely passed on to the
 * system, because it is not ready or its client does not read, further requests of its connection are not parsed.
 * Those that waited begin one in each turn of the event loop, and the connections take turns, so that a request that
 * did not wait is delayed by one of them at most. At most one read of a socket (64 KiB) waits in memory, the rest in the
 * system's buffers. Node alone parses all requests of a read at once and calls their handlers concurrently.
 */
export function paceRequests(server: Server): void {
  const connections = new WeakMap<Duplex, PacedConnection>()
  const turns = new Turns()
  server.on('connection', (socket: Socket) => connections.set(socket, new PacedConnection(socket, turns)))
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.begin(request, response),
  )
  followUpgrades(server, (_, socket) => connections.get(socket)?.passThrough())
}

/**
 * Calls a listener first at each upgrade. It is attached only while others are, because a request for an upgrade without
 * any listener is an ordinary request: with this one alone, nobody would respond to it.
 */
function followUpgrades(server: Server, listener: (request: IncomingMessage, socket: Duplex) => void): void {
  const others = () => server.listeners('upgrade').filter((one) => one !== listener)
  server.on('newListener', (name, added) => {
    if (name === 'upgrade' && added !== listener && others().length === 0)
      server.prependListener('upgrade', listener)
  })
  server.on('removeListener', (name, removed) => {
    if (name === 'upgrade' && removed !== listener && others().length === 0)
      server.removeListener('upgrade', listener)
  })
  if (others().length > 0) server.prependListener('upgrade', listener)
}

/** Calls one function in each turn of the event loop, in the order in which they were added. */
class Turns {
  readonly #waiting = new Set<() => void>()
  #isScheduled = false

  /** Adds a function, unless it is waiting. */
  add(call: () => void): void {
    this.#waiting.add(call)
    this.#schedule()
  }

  delete(call: () => void): void {
    this.#waiting.delete(call)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const [call] = this.#waiting
      if (!call) return
      this.#waiting.delete(call)
      this.#schedule()
      call()
    })
  }
}

/** Stage between a socket's reads and its parser. */
class PacedConnection {
  readonly #socket: Socket
  readonly #push: Socket['push']
  readonly #read: Socket['_read']
  #held: Buffer = noBytes
  /** The last bytes that were passed on, if they can begin the mark at the end of headers. */
  #tail: Buffer = noBytes
  /** Whether the client has sent everything. */
  #isEnded = false
  /** Requests whose response is not sent. */
  #running = 0
  #latest: IncomingMessage | undefined
  /** Bytes of the latest request's body that are not passed on; 0 if its length is not declared. */
  #bodyBytes = 0
  /** Memory of the latest chunk of a large body that Node's parser passed on. */
  #bodyMemory: ArrayBufferLike | undefined
  readonly #turns: Turns
  #isWaitingForTurn = false
  readonly #takeTurn = (): void => {
    this.#isWaitingForTurn = false
    this.#continue()
  }

  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket
    this.#turns = turns
    const { push, _read: read } = socket
    this.#push = push.bind(socket)
    this.#read = read.bind(socket)
    Object.assign(socket, {
      push: (chunk: Buffer | null) => this.#receive(chunk),
      _read: (size: number) => {
        if (this.#held.length === 0) this.#read(size)
        else this.#schedule()
      },
    })
    // With a listener, Node's parser gets its data from the stream, not from the system.
    const listener = (): void => undefined
    socket.on('data', listener).off('data', listener)
    socket.on('resume', () => {
      // A body begins no request.
      if (this.#isReceivingKnownLength && !this.#isWaitingForTurn) this.#continue()
      else this.#schedule()
    })
    socket.once('close', () => this.#discard())
  }

  /** Starts to wait for the response to a request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#running += 1
    this.#latest = request
    this.#bodyBytes = Number(request.headers['content-length'] ?? 0)
    if (this.#bodyBytes > readBytes) this.#observeBody(request)
    // Without it, the connection closes.
    response.once('finish', () => {
      this.#running -= 1
      this.#schedule()
    })
  }

  #observeBody(request: IncomingMessage): void {
    const push = request.push.bind(request)
    request.push = (chunk: Buffer | null, encoding) => {
      this.#bodyMemory = chunk?.buffer
      return push(chunk, encoding)
    }
  }

  /** Passes on everything from now on: the connection changes its protocol. */
  passThrough(): void {
    const [held, isEnded] = [this.#held, this.#isEnded]
    this.#discard()
    Object.assign(this.#socket, { push: this.#push, _read: this.#read })
    if (held.length > 0) this.#push(held)
    if (isEnded) this.#push(null)
  }

  /** Accepts data that was read, null at its end. Returns whether to read more now. */
  #receive(chunk: Buffer | null): boolean {
    if (chunk === null) this.#isEnded = true
    else this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    return !this.#isWaitingForTurn && this.#deliver()
  }

  /** Passes on what may be parsed now, and reads more if that was all. */
  #continue(): void {
    if (this.#deliver()) this.#read(pieceBytes)
  }

  /** Passes on what may be parsed now. Returns whether that was all, and more can be read. */
  #deliver(): boolean {
    let wantsMore = true
    let pieces = 0
    for (; this.#held.length > 0; pieces += 1) {
      if (this.#socket.isPaused() || (this.#running > 0 && !this.#isReceivingBody)) return false
      if (pieces === piecesPerTurn || (pieces > 0 && !this.#isReceivingBody)) {
        this.#schedule()
        return false
      }
      wantsMore = this.#passOn(this.#takePiece())
    }
    if (!this.#isEnded) return wantsMore
    // Node aborts requests at the end: one that has just begun can respond before.
    if (pieces > 0) this.#schedule()
    else this.#passEnd()
    return false
  }

  /**
   * Passes on a piece. If the parser copied it, as Node's does with bodies, its memory is freed at once: collecting it as
   * garbage took a quarter of the processor time of uploads.
   */
  #passOn(piece: Buffer): boolean {
    const wantsMore = this.#push(piece)
    const isCopied = this.#bodyMemory !== undefined && this.#bodyMemory !== piece.buffer
    if (isCopied && this.#socket.readableLength === 0) freeMemory(piece)
    this.#bodyMemory = undefined
    return wantsMore
  }

  #passEnd(): void {
    this.#isEnded = false
    this.#push(null)
  }

  #takePiece(): Buffer {
    const length = this.#isReceivingKnownLength ? this.#bodyBytes : this.#lengthToMark()
    const piece = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    this.#bodyBytes = Math.max(0, this.#bodyBytes - piece.length)
    return piece
  }

  /** Length of the next piece outside of a body whose length is known, bytes. */
  #lengthToMark(): number {
    const next = Buffer.concat([this.#tail, this.#held.subarray(0, pieceBytes)])
    const at = next.indexOf(endMark)
    const length = (at === -1 ? next.length : at + endMark.length) - this.#tail.length
    this.#tail = at === -1 ? next.subarray(1 - endMark.length) : noBytes
    return length
  }

  get #isReceivingBody(): boolean {
    return this.#latest?.complete === false
  }

  /** Whether the next bytes are part of a body whose length is known. */
  get #isReceivingKnownLength(): boolean {
    return this.#isReceivingBody && this.#bodyBytes > 0
  }

  #schedule(): void {
    if (this.#held.length === 0 && !this.#isEnded) return
    this.#isWaitingForTurn = true
    this.#turns.add(this.#takeTurn)
  }

  #discard(): void {
    this.#turns.delete(this.#takeTurn)
    this.#isWaitingForTurn = false
    this.#held = noBytes
    this.#isEnded = false
  }
}
