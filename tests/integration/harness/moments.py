"""Moments of the database's clock, by which workers judge, and the answers that come unrequested when they pass."""


def soon(realm, seconds):
    """The instant so many seconds from now, as requests have it."""
    return realm.sql("select to_char(clock_timestamp() at time zone 'UTC' + make_interval(secs => %s), "
                     "'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')", seconds)[0][0]


def past(realm, instant, seconds=0.0):
    """Waits until the database's clock is past an instant, by so much."""
    realm.sql('select pg_sleep_until(%s::timestamptz + make_interval(secs => %s + 0.001))', instant, seconds)


def unrequested(realm, booking, resource, cause):
    """The answer that nobody asked for, about a booking, for that cause."""
    return realm.client.answers.await_one(
        lambda answer: answer.get('cause') == cause and answer['booking'] == booking and answer['resource'] == resource,
        what=f'the {cause} of {booking}')


def told(realm, booking, resource):
    """The causes of all unrequested answers about a booking so far, in order."""
    return [answer['cause'] for answer in realm.client.answers.everything()
            if answer.get('unasked') and answer['booking'] == booking and answer['resource'] == resource]
