-- If the client is gone, its statement ends with it: not before PostgreSQL 14, nor on every platform.
do $$
begin
    set client_connection_check_interval = '1s';
exception when undefined_object or invalid_parameter_value then
    null;
end
$$
