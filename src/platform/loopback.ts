/** Tells whether a host, a name or an address with or without brackets, is this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host)
}

/** The address, as browsers write an origin, that a `Host` stands for; undefined for one that is not this server's. */
export function ownOrigin(host: string | undefined, publicHost: string | undefined): string | undefined {
  const named = host?.toLowerCase() ?? ''
  // With its port: on another than the proxy's a key would have come over plain http.
  if (publicHost !== undefined && named.replace(/:443$/, '') === publicHost) return `https://${publicHost}`
  return isLoopback(named.replace(/:\d+$/, '')) ? `http://${named.replace(/:80$/, '')}` : undefined
}
