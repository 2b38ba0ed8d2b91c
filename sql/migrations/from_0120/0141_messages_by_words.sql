-- Messages by their words: a frontend's transcript may show what came in by another door before.

-- A key of the words without white space, in one Unicode form; memory/proxy/comparison.py computes the same.
create function words_key(p_content text) returns uuid language sql immutable parallel safe
return md5(translate(
    normalize(p_content),
    E' \t\n\x0b\f\r\x1c\x1d\x1e\x1f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a'
    '\u2028\u2029\u202f\u205f\u3000',
    ''
))::uuid;

create index messages_by_words on messages (being_id, words_key(content), message_id);
create index retracted_messages_by_words on retracted_messages (being_id, words_key(content), message_id);
